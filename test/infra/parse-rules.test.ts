import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeRules } from '../../infra/command-line/print-rules.ts'
import { isOperationError, OperationError } from '../../infra/errors.ts'
import { parseRules } from '../../infra/parse-rules.ts'
import { defaultRules } from '../../schemas/rules.ts'

const parse = (said: unknown) => parseRules(JSON.stringify(said), 'mine.json')

function refusalOf(text: string): string {
  try {
    parseRules(text, 'mine.json')
  } catch (error) {
    if (error instanceof OperationError && error.code === 'config_invalid') return error.message
    throw error
  }
  return 'accepted'
}
const refused = (said: unknown) => refusalOf(JSON.stringify(said))

describe('a rules file', () => {
  it('says what differs, and leaves all else as it is', () => {
    const rules = parse({ chainA: { bursts: { main: { buysMin: 10 } } } })
    const { chainA } = defaultRules
    const main = { ...chainA.bursts.main, buysMin: 10 }
    expect(rules).to.deep.equal({ ...defaultRules, chainA: { ...chainA, bursts: { ...chainA.bursts, main } } })
  })

  it('of nothing is the default', () => expect(parse({})).to.deep.equal(defaultRules))

  it('can be what the command prints', async () =>
    expect(parseRules(await describeRules({}), 'printed')).to.deep.equal(defaultRules))

  it('is printed with all that it leaves as it is, and refused if it cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'))
    try {
      const file = join(folder, 'mine.json')
      const said = { chainA: { bursts: { main: { buysMin: 10 } } } }
      await writeFile(file, JSON.stringify(said))
      expect(parseRules(await describeRules({ file }), 'printed')).to.deep.equal(parse(said))
      const failure = await describeRules({ file: `${file}.gone` }).catch((error: unknown) => error)
      expect(isOperationError(failure, 'config_invalid')).to.equal(true)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  for (const [name, said, line] of [
    [
      'a name of another case',
      { chainA: { bursts: { windowMS: 1 } } },
      'there is no rule chainA.bursts.windowMS, but there is chainA.bursts.windowMs',
    ],
    [
      'a name in another part',
      { chainA: { anchorDelay: 1 } },
      'there is no rule chainA.anchorDelay, but there is calls.anchorDelayMs',
    ],
    ['a name like none', { qqqqqq: 1 }, 'there is no rule qqqqqq'],
    [
      'a value below its bound',
      { chainB: { bursts: { windowMs: 1 } } },
      'chainB.bursts.windowMs is 1, but must be at least 1000',
    ],
    [
      'a value above its bound',
      { desk: { rugLeftRatioMax: 1.5 } },
      'desk.rugLeftRatioMax is 1.5, but must be at most 1',
    ],
    [
      'a list that is too short',
      { chainA: { outcomes: { exits: [] } } },
      'exits has 0 entries, but must have at least 1',
    ],
    ['a text for a number', { calls: { watchMs: '48 h' } }, 'calls.watchMs: Invalid input: expected number'],
    [
      'a part of the window longer than the window',
      { chainA: { bursts: { windowMs: 10_000 } } },
      'chainA.bursts.recentMs: recentMs must be at most windowMs, 10000 ms',
    ],
    [
      'pools that are forgotten before they are scored',
      { chainA: { pools: { lifeMs: 24 * 3_600_000 } } },
      'chainA.pools.lifeMs: lifeMs must be above bursts.oldMsMax + outcomes.lengthMs',
    ],
    [
      'mints that are forgotten before their copies are over',
      { chainB: { mints: { graduatedLifeMs: 3_600_000 } } },
      'chainB.shadow.windowMs: windowMs must be below mints.graduatedLifeMs',
    ],
    [
      'a score that looks back further than prices are kept',
      { calls: { scoreMs: 4_380_000, anchorLimitMs: 300_000 } },
      'calls.scoreMs: scoreMs + anchorLimitMs must be below',
    ],
    [
      'a watch that ingest does not follow',
      { calls: { watchMs: 72 * 3_600_000 } },
      'calls.watchMs is 259200000, but must be at most 172800000',
    ],
    [
      'an exit of two ways',
      { chainB: { outcomes: { exits: [{ name: 'both', gainRatio: 2, trailRatio: 0.8 }] } } },
      'chainB.outcomes.exits: the exit both has 2 price limits, gainRatio and trailRatio',
    ],
    [
      'two lanes of one name',
      {
        chainB: { desk: { lanes: [...defaultRules.chainB.desk.lanes.slice(0, 1), defaultRules.chainB.desk.lanes[0]] } },
      },
      'chainB.desk.lanes: two lanes have the name burst',
    ],
  ] as const)
    it(`is refused with ${name}`, () => expect(refused(said)).to.include(`mine.json: `).and.include(line))

  it('says all that is wrong at once', () =>
    expect(refused({ calls: { scoreMs: 0 }, desk: { shadowMs: 0 } })).to.equal(
      'mine.json: calls.scoreMs is 0, but must be at least 3600000; desk.shadowMs is 0, but must be at least 3600000',
    ))

  it('is refused if it is no JSON, or no object', () => {
    expect(refusalOf('{')).to.match(/^mine\.json is not JSON: /)
    expect(refused([1])).to.equal('mine.json: a rules file must contain a JSON object')
  })
})
