import type { ChainAViews, DayRow } from '../../../projections/chain-a/queries/chain-a-views.ts'
import { snapshotPoolsMax } from '../../../schemas/chain-a/resources.ts'
import { type Route, route } from '../../route.ts'
import { bareEnvelopeOf, type Presentation, presentBurst, presentPool } from '../present.ts'
import { minutesParam } from './bursts.ts'

export const snapshotRoutes = (views: ChainAViews, presentation: Presentation): readonly Route[] => [
  route({
    pattern: '/v1/snapshot',
    description:
      'Everything at one instant: bursts of all tiers, the pools of the last hour, and what the last day was like.',
    params: { minutes: { ...minutesParam, isCount: true } },
    async answer({ minutes }, cut) {
      const [bursts, newPools, day] = await Promise.all([
        views.burstsLive(cut, { minutes, tier: 'all', lp: 'all' }),
        views.poolsNew(cut, { hours: 1, limit: snapshotPoolsMax }),
        views.lastDay(cut),
      ])
      const { schemaVersion, generatedAt, ageSec } = bareEnvelopeOf(cut, presentation.chainName)
      return {
        schemaVersion,
        generatedAt,
        ageSec,
        windowMin: minutes,
        [presentation.chainName]: {
          ethUsd: cut.coinPrice?.usd ?? null,
          bursts: bursts.map((row) => presentBurst(row, presentation)),
          newPools: newPools.map((row) => presentPool(row, cut)),
          last24h: presentDay(day),
        },
      }
    },
  }),
]

const presentDay = ({ bursts, scored, medianRet30m, medianRuleRet, ...rugs }: DayRow) => ({
  bursts,
  scored,
  medianRet30m,
  medianRuleRet,
  rugCheck: {
    checked: rugs.checked,
    held: rugs.held,
    heldPct: shareOf(rugs.held, rugs.checked),
    heldScored: rugs.heldScored,
    heldPulled: rugs.heldPulled,
    heldPulledPct: shareOf(rugs.heldPulled, rugs.heldScored),
    safe: rugs.safe,
    safeScored: rugs.safeScored,
    safePulled: rugs.safePulled,
  },
})

/** Null of nothing: 0 would look like a finding. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
