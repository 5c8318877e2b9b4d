import { expect } from 'chai'
import { rawParamsOf } from '../../../api/mcp/arguments.ts'
import { type Params, parseParams } from '../../../api/sale/params.ts'
import { isRefusal } from '../../../api/sale/refusals.ts'

const params = {
  id: {
    in: 'path',
    type: 'string',
    letterCase: 'lower',
    pattern: /^0x[0-9a-fA-F]{2}$/,
    example: '0xab',
    sample: '0xab',
    description: 'a thing',
  },
  minutes: { in: 'query', type: 'number', min: 1, max: 240, default: 60, description: 'look-back' },
  tier: { in: 'query', type: 'string', values: ['main', 'all'], default: 'main', description: 'which' },
} satisfies Params

function judge(args: Readonly<Record<string, unknown>>): unknown {
  const raw = rawParamsOf(params, args)
  if (isRefusal(raw)) return raw.error
  const parsed = parseParams(params, raw)
  return 'refusal' in parsed ? parsed.refusal.error : parsed.values
}

describe('the arguments of a tool', () => {
  it('are the parameters of its route, numbers as numbers, with the same defaults', () => {
    expect(judge({ id: '0xAB', minutes: 1.5, tier: 'all' })).to.deep.equal({ id: '0xab', minutes: 1, tier: 'all' })
    expect(judge({ id: '0xab' })).to.deep.equal({ id: '0xab', minutes: 60, tier: 'main' })
    expect(judge({ id: '0xab', minutes: undefined })).to.deep.equal({ id: '0xab', minutes: 60, tier: 'main' })
  })

  const number = 'minutes must be a plain decimal number from 1 to 240'
  const choice = 'tier must be one of main, all'
  const address = 'id is not a thing: it must be 0xab'
  const wrong: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ minutes: 241 }, number],
    [{ minutes: 0.999 }, number],
    [{ minutes: 1e-9 }, number],
    [{ minutes: 1e300 }, number],
    [{ minutes: '60' }, number],
    [{ minutes: null }, number],
    [{ minutes: [60] }, number],
    [{ minutes: true }, number],
    [{ tier: 'old' }, choice],
    [{ tier: null }, choice],
    [{ tier: ['all'] }, choice],
    [{ id: 7 }, address],
    [{ id: { toString: '0xab' } }, address],
    [{ id: '0xabc' }, address],
    [{ id: undefined }, address],
  ]
  for (const [args, says] of wrong)
    it(`${JSON.stringify(args)} is refused in the words of HTTP`, () => {
      expect(judge({ id: '0xab', ...args })).to.equal(says)
    })

  it('that no parameter takes are refused: one may be misspelt', () => {
    expect(judge({ id: '0xab', minuts: 5 })).to.equal(
      'this tool has no argument "minuts". Its arguments are id, minutes, tier',
    )
    expect(judge(JSON.parse('{"__proto__": 1}'))).to.match(/^this tool has no argument "__proto__"/)
    expect(judge({ constructor: 1 })).to.match(/^this tool has no argument "constructor"/)
    expect(judge({ [`x${'y'.repeat(5_000)}`]: 1 })).to.have.length.lessThan(120)
    const raw = rawParamsOf({}, { limit: 1 })
    expect(raw).to.deep.include({
      code: 'bad_param',
      error: 'this tool has no argument "limit". It takes no arguments',
    })
  })
})
