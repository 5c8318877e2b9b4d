/** The parts of an attack with lies: the liar, the world behind it, and the comparison of the two services. */
import type { Liar } from './liar.ts'
import type { WatchedService } from './watched-service.ts'

export type Side = 'lied to' | 'undisturbed'

export type Services = Readonly<Record<Side, WatchedService>>

export type World = Readonly<{
  liar: Liar
  /** The environment of the service on this side, without its data directory. */
  environmentOf: (side: Side) => Readonly<Record<string, string>>
  /** Moves the world on. It is called a few times a second. */
  step: () => Promise<void> | void
  /** Whether the attacked part works again. Default: the health is enough. */
  isWhole?: (service: WatchedService) => Promise<boolean>
  /** Ends all changes. Resolves when both services know everything, or with what is missing. */
  settle: (services: Services) => Promise<readonly string[]>
  /** The differences between the two data directories, one sentence each. */
  compare: (folders: Readonly<Record<Side, string>>) => Promise<Comparison>
  /** The lies that are left out, because no reader could notice them. */
  leftOut: readonly string[]
  stop: () => Promise<void>
}>

export type Comparison = Readonly<{
  /** The number of facts, posts, answers or sales that were compared. */
  compared: string
  differences: readonly string[]
}>

export type OpenWorld = (seed: number) => Promise<World>
