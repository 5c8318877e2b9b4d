/** What the routes of calls answer from: the chats, and the chains whose tokens they name. */
import type { CallsViews, ChainOfCalls } from '../../projections/calls/queries/calls-views.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { Dependency } from '../route.ts'
import type { CallPresentation } from './resources/call.ts'

/** A chain that is there. */
export type CalledChain = Readonly<{
  name: ChainOfCalls
  /** The name that the outside sees. */
  wireName: string
  source: Omit<Dependency, 'maxAgeMs'>
  /** Somebody beside the chain’s node can be asked for the price of a token. */
  hasPriceProvider: boolean
}>

/** `callerIdSecret`: the key of the hashes that stand for callers and chats. */
export type CallsWorld = Readonly<{
  views: CallsViews
  chains: readonly CalledChain[]
  callerIdSecret: string
}>

export const wireNameOf = ({ chains }: Pick<CallsWorld, 'chains'>, name: ChainOfCalls): string =>
  chains.find((chain) => chain.name === name)?.wireName ?? name

export const presentationOf = (world: CallsWorld, { atMs }: Pick<Cut, 'atMs'>): CallPresentation => ({
  atMs,
  callerIdSecret: world.callerIdSecret,
  wireNameOf: (name) => wireNameOf(world, name),
})
