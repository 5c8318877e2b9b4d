/**
 * The parts of an attack with false answers: the server that sends them, the test setup behind this server,
 * and the comparison of two services. Only one of the services gets false answers.
 */
import type { Liar } from './liar.ts'
import type { WatchedService } from './watched-service.ts'

export type Side = 'lied to' | 'undisturbed'

export type Services = Readonly<Record<Side, WatchedService>>

export type World = Readonly<{
  liar: Liar
  /** Returns the environment variables of the service on this side, without its data directory. */
  environmentOf: (side: Side) => Readonly<Record<string, string>>
  /** Adds new data to the test setup. Is called a few times per second. */
  step: () => Promise<void> | void
  /**
   * Returns true if the attacked part of the service works again. By default, only the health of the service
   * is checked.
   */
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
