/** What the routes of calls answer from: the chats, and the chains whose tokens they name. */
import type { CallsViews } from '../../projections/calls/queries/calls-views.ts'
import type { Cut } from '../../projections/cuts.ts'
import type { CalledChain } from './parts.ts'
import type { CallPresentation } from './resources/call.ts'
import type { NamedChain } from './resources/identifiers.ts'

/** `callerIdSecret`: the key of the hashes that stand for callers and chats. */
export type CallsWorld = Readonly<{
  views: CallsViews
  chains: readonly CalledChain[]
  callerIdSecret: string
}>

/** Rows are of chains that are there; example rows may be of another. */
export const namedChainOf = ({ chains }: Pick<CallsWorld, 'chains'>, name: string): NamedChain =>
  chains.find(({ stage }) => stage.name === name) ?? { wireName: name, idLetter: name.slice(-1) }

export const presentationOf = (world: CallsWorld, { atMs }: Pick<Cut, 'atMs'>): CallPresentation => ({
  atMs,
  callerIdSecret: world.callerIdSecret,
  chainOf: (name) => namedChainOf(world, name),
})
