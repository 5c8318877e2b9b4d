/** Assigns the numbers of wallets to the kinds of simulated traders. */
import type { Random } from '../../simulated/random.ts'

export const agentWallet = 0

const leaderCount = 24
const firstLeader = 200

/**
 * A wallet whose trades others copy. With skill 1 it buys only tokens that will rise. With skill 0 it buys
 * only tokens that will not rise.
 */
export type Leader = Readonly<{ wallet: number; skill: number }>

export const leaders: readonly Leader[] = Array.from({ length: leaderCount }, (_, index) => ({
  wallet: firstLeader + index,
  skill: index / (leaderCount - 1),
}))

/** Draws a leader for a token. Skilled leaders more often buy a token that will rise (`willRise`). */
export function drawLeader(willRise: boolean, random: Random): Leader {
  for (;;) {
    const leader = random.pick(leaders as [Leader, ...Leader[]])
    if (random.chance(willRise ? leader.skill : 1 - leader.skill)) return leader
  }
}

/** Draws the wallet of a bot that buys at launches. */
export const bot = (random: Random): number => random.whole(100, 179)
/** Draws the number of a crew. A crew is ten wallets with the same owner. */
export const drawCrew = (random: Random): number => random.whole(0, 39)
export const crewMember = (crew: number, member: number): number => 1000 + crew * 10 + (member % 10)
export const launcherWallet = (random: Random): number => 40_000 + Math.floor(900 * random.unit() ** 2)
