import { expect } from 'chai'
import { askedSignature } from '../../../api/signing/accept-signature.ts'
import { coveredAlways, cutComponent, textOfComponent } from '../../../schemas/signed-answers.ts'

const components = new Set([...coveredAlways, cutComponent].map(textOfComponent))
const asked = (header: string) => askedSignature(header, { keyId: 'the-key', components })
const labelOf = (header: string) => asked(header)?.label ?? null

describe('a request for a signature', () => {
  it('names the signature, and may list covered components and a nonce', () => {
    expect(asked('sig1=()')).to.deep.equal({ label: 'sig1', nonce: null, components: new Set() })
    expect(asked('a=("@status" "@path";req "answer-cut");nonce="b c"')).to.deep.equal({
      ...{ label: 'a', nonce: 'b c' },
      components: new Set(['@status', '@path;req', 'answer-cut']),
    })
  })

  for (const [parameter, isSatisfied] of [
    ['created', true],
    ['created=1', false],
    ['alg="ed25519"', true],
    ['alg="rsa-pss-sha512"', false],
    ['keyid="the-key"', true],
    ['keyid="another-key"', false],
    ['tag="launch-data-answer"', true],
    ['tag="another"', false],
    [`nonce="${'n'.repeat(128)}"`, true],
    [`nonce="${'n'.repeat(129)}"`, false],
    ['nonce=1', false],
    ['expires', false],
    ['unknown="x"', false],
  ] as const)
    it(`is ${isSatisfied ? '' : 'not '}satisfied with ${parameter.slice(0, 30)} of ${parameter.length} characters`, () => {
      expect(labelOf(`sig1=();${parameter}`)).to.equal(isSatisfied ? 'sig1' : null)
    })

  for (const component of [
    '"@method"',
    '"@path"',
    '"date"',
    '"@query-param";req;name="minutes"',
    '"content-digest";bs',
    '"@path";req=?0',
    '"payment-response"',
    '1',
  ])
    it(`is not satisfied with the component ${component}`, () => {
      expect(labelOf(`sig1=(${component})`)).to.equal(null)
    })

  it('is the first one that can be satisfied', () => {
    expect(labelOf('a=();alg="hmac-sha256", b=("date"), c=1, d=();created, e=()')).to.equal('d')
  })

  for (const header of ['', 'sig1', 'sig1=1', 'sig1=(', '()', '"', 'SIG=()', 'sig1=();nonce="\u00e9"', '\0'])
    it(`is none if the header is ${JSON.stringify(header)}`, () => {
      expect(asked(header)).to.equal(null)
    })

  it('is read up to 1,024 characters', () => {
    const padded = (length: number) => `sig1=()${' '.repeat(length - 'sig1=()'.length)}`
    expect(labelOf(padded(1_024))).to.equal('sig1')
    expect(labelOf(padded(1_025))).to.equal(null)
  })
})
