/** Compares the answers about tokens on launchpad curves with the state of the curves. */
import assert from 'node:assert/strict'
import { curveAt, type RecordedCurve } from '../support/oracle/curves.ts'
import { oracleProfiles } from '../support/oracle/oracle.ts'
import { tokenClass } from '../support/oracle/profiles.ts'
import { blocksAt, type Recording } from '../support/oracle/recording.ts'
import { blockAtMsOf, launchpadKey, type RugCheck, type Shop, seekRugCheck } from './buy-answers.ts'
import { isClose } from './close.ts'
import { assertProfiles } from './compare-liquidity.ts'

/** The price of the local node's price feed. */
const ethUsd = 3000
const minuteMs = 60_000

/** Null: the answer was 404. */
export type CurveAnswers = ReadonlyMap<string, RugCheck | null>

export async function buyCurves(shop: Shop, tokens: readonly string[]): Promise<CurveAnswers> {
  const answers = new Map<string, RugCheck | null>()
  for (const token of tokens) {
    answers.set(token.toLowerCase(), await seekRugCheck(shop, token))
  }
  return answers
}

export type CurveChain = Readonly<{ recording: Recording; curves: readonly RecordedCurve[]; logBeginsAtMs: number }>

/** Throws at the first difference. */
export function checkCurves(answers: CurveAnswers, chain: CurveChain): void {
  for (const recorded of chain.curves) {
    const answer = answers.get(recorded.token)
    if (answer) checkToken(answer, recorded, chain)
    else assert.equal(recorded.isAgainstEth, false, `${recorded.token} is not tracked`)
  }
}

function checkToken(answer: RugCheck, recorded: RecordedCurve, { recording, logBeginsAtMs }: CurveChain): void {
  const blockAtMs = blockAtMsOf(answer)
  const expected = curveAt(recorded, { blockAtMs, logBeginsAtMs })
  const { token } = recorded
  const curve = answer[launchpadKey]
  assert.equal(curve === undefined, expected === null, `curve of ${token}`)
  if (curve === undefined || expected === null) {
    const profiles = oracleProfiles(recording, { blockAtMs }).filter((profile) => profile.token === token)
    assertProfiles(answer.pools, profiles, blocksAt(recording, blockAtMs))
    assert.equal(answer.class, tokenClass(profiles))
    return
  }
  assert.equal(answer.class, 'launchpad-curve')
  assert.deepEqual(answer.pools, [])
  const exact = ['curve', 'graduated', 'symbol', 'creator', 'launchBlock', 'feeBps', 'readBlock'] as const
  for (const field of exact) assert.equal(curve[field], expected[field], `${field} of ${token}`)
  assert.equal(curve.checkedAt, expected.checkedAtMs)
  assert.equal(curve.gradBlock, null)
  const close = {
    thresholdEth: expected.thresholdEth,
    ethInCurve: expected.ethInCurve,
    progress: expected.progress,
    mcapUsd: expected.mcapEth * ethUsd,
    ageMin: (expected.checkedAtMs - expected.launchAtMs) / minuteMs,
  }
  for (const [field, value] of Object.entries(close)) {
    const sold = curve[field as keyof typeof close]
    assert(sold !== null && isClose(sold, value), `${field} of ${token}: ${sold}, expected ${value}`)
  }
}
