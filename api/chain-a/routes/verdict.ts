import { z } from 'zod'
import type { VerdictPrecallRow, VerdictRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { type TokenFacts, verdictOf, verdictRulesInWords, verdicts } from '../../../schemas/chain-a/verdict.ts'
import { type DurationMs, minuteMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { tokenParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { verdictDesk, verdictPrecall, verdictReason, verdictRug } from '../resources/verdict.ts'
import { chainACut, chainASource } from '../source.ts'

const verdictAnswer = bareEnvelope.schema.extend({
  token: described('now', addressSchema, 'Token contract.'),
  verdict: described('now', z.enum(verdicts), 'The level of the worst rule that matches; `ok`: none does.'),
  reasons: described('now', z.array(verdictReason.schema), 'Every rule that matches, the worst first.'),
  rug: described(
    'now',
    verdictRug.schema.nullable(),
    'Who can pull the liquidity of the v4 pools, or the progress of the launchpad curve; null if the token has only v3 pools.',
  ),
  precall: described(
    'now',
    verdictPrecall.schema.nullable(),
    'The trades before the newest call of the last 48 h; null without a call.',
  ),
  desk: described('now', verdictDesk.schema, 'What the paper desk recorded.'),
  tokenAgeMin: described(
    'now',
    z.number().min(0).nullable(),
    'Minutes since its oldest pool of the last 24 h was created, or since its launch where that is older; null if neither is known.',
  ),
  rules: described('now', z.array(verdictReason.schema), 'All rules, the worst first.'),
})

const notTracked = (token: string) =>
  refuse(
    'not_tracked',
    `token ${token} is not tracked. It is on no launchpad curve that was launched or traded in the last 7 days. None of its pools against ETH was created in the last 24 h. /v1/rh/pools/new lists new pools with their tokens`,
  )

export const createVerdict = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/token/:addr/verdict',
    tool: 'rh_token_verdict',
    description:
      'avoid, caution or ok for a token, with every rule that matches: liquidity, launchpad curve, age, buys before its call, and results of the paper desk. All rules are listed.',
    priceUsdMicros: 30_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 180_000 }],
    needs: [],
    history: { windowMs: callRules.watchMs, lookBackMs: curveLifeMs },
    params: { addr: tokenParam },
    subject: { param: 'addr', stage: chainAStage, tracked: queries.tracked.tokens, refusal: notTracked },
    schema: verdictAnswer,
    async answer({ addr: token }, cut) {
      const at = chainACut(cut)
      const row = await queries.verdict(at, token)
      if (row === null) return notTracked(token)
      const ageMs = row.bornAtMs === null ? null : at.blockAtMs - row.bornAtMs
      const { verdict, reasons } = verdictOf(factsOf(row, ageMs))
      return {
        ...bareEnvelope.present(at, presentation),
        token,
        verdict,
        reasons: reasons.map((reason) => verdictReason.present(reason)),
        rug: verdictRug.present(row),
        precall: row.precall && verdictPrecall.present(row.precall),
        desk: verdictDesk.present(row),
        tokenAgeMin: ageMs === null ? null : ageMs / minuteMs,
        rules: verdictRulesInWords.map((rule) => verdictReason.present(rule)),
      }
    },
  })

/**
 * Returns the properties that decide the verdict of a token. While a token is on its curve, its pools are
 * ignored. The route `rugcheck` also ignores them.
 */
function factsOf(row: VerdictRow, ageMs: DurationMs | null): TokenFacts {
  const { curve, classes, insiderShare, v4PoolCount, v3PoolCount, isRugged, precall, lastTrade, shadows } = row
  const isOnCurve = curve !== null
  return {
    lpClasses: isOnCurve ? [] : classes,
    insiderShare: isOnCurve ? 0 : insiderShare,
    hasV3PoolsAlone: !isOnCurve && v4PoolCount === 0 && v3PoolCount > 0,
    isOnCurve,
    isRugged: !isOnCurve && isRugged,
    ageMs,
    precallFlags: precall?.flags ?? [],
    areBuyersUnknown: precall !== null && areBuyersUnknown(precall),
    lastExit: lastTrade?.exit ?? null,
    shadowMae: shadows[0]?.mae ?? null,
  }
}

/**
 * Returns whether it is unknown who bought the token before the call. If there were no buys, the set of
 * buyers is known to be empty.
 */
const areBuyersUnknown = ({ isTracked, buys, wallets }: VerdictPrecallRow): boolean =>
  !isTracked || (buys > 0 && wallets === null)
