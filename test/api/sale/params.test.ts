import { expect } from 'chai'
import fc from 'fast-check'
import { asOfParam, type NumberParam, parseParams } from '../../../api/sale/params.ts'

const minutes: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  description: 'how far to look back',
}
const limit: NumberParam = { ...minutes, max: 1000, default: 200 }
const tier = { in: 'query', type: 'string', values: ['main', 'all'], default: 'main', description: 'tier' } as const
const id = {
  in: 'path',
  type: 'string',
  letterCase: 'lower',
  pattern: /^0x[0-9a-fA-F]{40}$/,
  example: '0x and 40 hex digits',
  sample: `0x${'a1'.repeat(20)}`,
  description: 'a pool address',
} as const

const parse = (params: Parameters<typeof parseParams>[0], query: Record<string, string | string[]>) =>
  parseParams(params, { query, path: {} })

describe('route parameters', () => {
  it('takes plain decimals inside the bounds, the bounds included', () => {
    for (const [text, value] of [
      ['1', 1],
      ['240', 240],
      ['1.5', 1],
      ['239.99', 239],
      ['60.0', 60],
    ] as const)
      expect(parse({ minutes }, { minutes: text })).to.deep.equal({ values: { minutes: value } })
  })

  it('takes an instant as whole epoch milliseconds, and has no value of one that is not given', () => {
    expect(parse({ asOf: asOfParam }, {})).to.deep.equal({ values: {} })
    for (const text of ['0', '1790000002000', '8640000000000000'])
      expect(parse({ asOf: asOfParam }, { asOf: text })).to.deep.equal({ values: { asOf: Number(text) } })
    for (const text of ['', '01', '1.0', '-1', '8640000000000001', '2026-09-21'])
      expect(parse({ asOf: asOfParam }, { asOf: text })).to.have.nested.property('refusal.code', 'bad_param')
  })

  it('takes a cursor as an answer gave it, and the empty text for none', () => {
    const since = { in: 'query', type: 'cursor', default: null, description: 'since' } as const
    expect(parse({ since }, {})).to.deep.equal({ values: { since: '' } })
    for (const text of ['0-0', '1790000000000-12', '1790000000000-999999'])
      expect(parse({ since }, { since: text })).to.deep.equal({ values: { since: text } })
    for (const text of ['', '1', '-1-1', '1-', '01-1', '1-01', '1-1234567', '12345678901234567-1', '1-1 '])
      expect(parse({ since }, { since: text })).to.have.nested.property('refusal.code', 'bad_param')
  })

  it('refuses every other spelling of a number, and never clamps', () => {
    const wrong = [
      '0',
      '0.999',
      '240.001',
      '241',
      '-5',
      '',
      ' 5',
      '5 ',
      '1e2',
      '0x10',
      '+5',
      '05',
      '5.',
      '.5',
      '١٢',
      'NaN',
      'Infinity',
      'x',
    ]
    for (const text of wrong) {
      const parsed = parse({ minutes }, { minutes: text })
      expect('refusal' in parsed && parsed.refusal, JSON.stringify(text)).to.deep.equal({
        status: 400,
        code: 'bad_param',
        error: 'minutes must be a plain decimal number from 1 to 240',
      })
    }
  })

  it('floors a count, after its bounds were checked', () => {
    expect(parse({ limit }, { limit: '7.9' })).to.deep.equal({ values: { limit: 7 } })
    expect(parse({ limit }, { limit: '1000.5' })).to.have.nested.property('refusal.code', 'bad_param')
  })

  it('refuses a repeated parameter and a word that is not in the list, saying what is', () => {
    expect(parse({ minutes }, { minutes: ['5', '6'] })).to.have.nested.property(
      'refusal.error',
      'minutes was given more than one time. Give it one time',
    )
    expect(parse({ tier }, { tier: 'MAIN' })).to.have.nested.property('refusal.error', 'tier must be one of main, all')
    for (const query of [{ tier: 'MAIN' }, { tier: ['main', 'all'] }])
      expect(parse({ tier }, query)).to.have.nested.property('refusal.code', 'bad_param')
  })

  it('fills in defaults and ignores what it does not know', () => {
    expect(parse({ minutes, tier }, { color: 'red', tier: 'all' })).to.deep.equal({
      values: { minutes: 60, tier: 'all' },
    })
  })

  it('gives the empty text for a choice that need not be made, and takes it from nobody', () => {
    const filter = { ...tier, default: null } as const
    expect(parse({ filter }, {})).to.deep.equal({ values: { filter: '' } })
    expect(parse({ filter }, { filter: 'all' })).to.deep.equal({ values: { filter: 'all' } })
    for (const text of ['', 'old', ['all', 'all']])
      expect(parse({ filter }, { filter: text }), `${text}`).to.have.nested.property('refusal.code', 'bad_param')
  })

  it('refuses a part of the path that is not there', () => {
    const name = { ...id, pattern: /^[a-z]+$/ } as const
    const parsed = parseParams({ name }, { query: {}, path: {} })
    expect(parsed).to.have.nested.property('refusal.code', 'bad_address')
  })

  it('hands identifiers on in lower case where case does not tell them apart, else as they were given', () => {
    const path = { id: `0x${'AbCdEf0123'.repeat(4)}` }
    expect(parseParams({ id }, { query: {}, path })).to.deep.equal({ values: { id: path.id.toLowerCase() } })
    const mint = { ...id, letterCase: 'asGiven', pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ } as const
    const base58 = 'So11111111111111111111111111111111111111112'
    const parsed = parseParams({ mint }, { query: {}, path: { mint: base58 } })
    expect(parsed).to.deep.equal({ values: { mint: base58 } })
    const either = { ...id, letterCase: 'hexLower', pattern: /^\w+$/ } as const
    for (const [given, handedOn] of [
      [path.id, path.id.toLowerCase()],
      [base58, base58],
    ])
      expect(parseParams({ either }, { query: {}, path: { either: given } })).to.deep.equal({
        values: { either: handedOn },
      })
    const bad = parseParams({ id }, { query: {}, path: { id: '0x12' } })
    expect(bad).to.have.nested.property('refusal.code', 'bad_address')
  })

  it('gives a number only for text that is that number, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parse({ minutes }, { minutes: text })
        if ('values' in parsed)
          expect(Math.floor(Number(text)))
            .to.equal(parsed.values.minutes)
            .and.to.be.within(1, 240)
      }),
    )
  })
})
