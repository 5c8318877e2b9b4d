/**
 * The parts of an attack with lies: the liar, the test setup behind the liar, and the comparison of the two
 * services.
 */
import type { Liar } from './liar.ts'
import type { WatchedService } from './watched-service.ts'

export type Side = 'lied to' | 'undisturbed'

export type Services = Readonly<Record<Side, WatchedService>>

export type World = Readonly<{
  liar: Liar
  /** The environment of the service on this side, without its data directory. */
  environmentOf: (side: Side) => Readonly<Record<string, string>>
  /** Adds new data to the test setup. Is called a few times per second. */
  step: () => Promise<void> | void
  /** True if the attacked part works again. By default, only the health of the service is checked. */
  isWhole?: (service: WatchedService) => Promise<boolean>
  /**
   * Ends all changes and waits until both services know everything. Resolves with the things that are still
   * missing.
   */
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
