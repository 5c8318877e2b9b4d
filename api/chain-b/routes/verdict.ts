import { z } from 'zod'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chainBVerdictRules, gateOf, scoutsOf, traderOf, verdictMethod } from '../../../schemas/chain-b/verdict.ts'
import { scannerFields } from '../../calls/resources/scanner-grade.ts'
import { deskShadow, lastTrade } from '../../desk/resources/token-desk.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import type { ChainBDependencies } from '../dependencies.ts'
import { mintParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { solSafety, solScouts, solTrader, verdictMethodSchema } from '../resources/verdict.ts'
import { chainBCut, chainBSource } from '../source.ts'

const verdictAnswer = bareEnvelope.schema.extend({
  mint: described('now', addressSchema, 'Token mint.'),
  safety: described(
    'now',
    solSafety.schema,
    'The gate, and what an external provider of rug checks said; `pass` is null where nothing is known.',
  ),
  scouts: described('now', solScouts.schema, 'Scores 0-1, the better the higher.'),
  scanner: described('now', scannerFields.schema.nullable(), 'The grade by scanner cards; null without a card.'),
  trader: described('now', solTrader.schema, 'Decision of the desk’s rules; not advice.'),
  shadows: described('signal+30m', z.array(deskShadow.schema), 'Signals whose hour is over, oldest first.'),
  lastTrade: described('signal+30m', lastTrade.schema.nullable(), 'The last closed trade; null without one.'),
  method: verdictMethodSchema,
})

const notTracked = (mint: string) =>
  refuse(
    'not_tracked',
    `mint ${mint} had no burst, call, scanner card or desk signal in the last 48 h. /v1/sol/bursts/live lists mints with a recent burst`,
  )

export const createVerdict = ({ queries, presentation }: ChainBDependencies) =>
  route({
    pattern: '/v1/sol/token/:mint/verdict',
    tool: 'sol_token_verdict',
    description:
      'Everything recorded about a mint in the last 48 h: safety gate, scores of burst, curve, holders and callers, scanner grade, the decision of the desk’s rules, and the results of its signals.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainBSource, maxAgeMs: 180_000 }],
    needs: [],
    history: { windowMs: callRules.watchMs, lookBackMs: chainBVerdictRules.callers.windowMs },
    params: { mint: mintParam },
    subject: { param: 'mint', stage: chainBStage, tracked: queries.tracked.mints, refusal: notTracked },
    schema: verdictAnswer,
    async answer({ mint }, cut) {
      const at = chainBCut(cut)
      const row = await queries.verdict(at, mint)
      if (row === null) return notTracked(mint)
      const { safety, grade } = row
      const scouts = scoutsOf(row)
      return {
        ...bareEnvelope.present(at, presentation),
        mint,
        safety: solSafety.present(row),
        scouts: solScouts.present(scouts),
        scanner: grade && scannerFields.present(grade),
        trader: solTrader.present(traderOf(gateOf(safety), scouts)),
        shadows: row.shadows.map((shadow) => deskShadow.present(shadow)),
        lastTrade: row.lastTrade && lastTrade.present(row.lastTrade),
        method: verdictMethod,
      }
    },
  })
