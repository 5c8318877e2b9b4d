/** What a source of lies brings with it: the liar, the world that it lies about, and what the two services know of it in the end. */
import type { Liar } from './liar.ts'
import type { WatchedService } from './watched-service.ts'

export type Side = 'lied to' | 'undisturbed'

export type Services = Readonly<Record<Side, WatchedService>>

export type World = Readonly<{
  liar: Liar
  /** Of the service on this side, but for its folder. */
  environmentOf: (side: Side) => Readonly<Record<string, string>>
  /** The world goes on. It is called some times a second. */
  step: () => Promise<void> | void
  /** Beyond its health: whether what the liar is for works again. Default: nothing more is asked. */
  isWhole?: (service: WatchedService) => Promise<boolean>
  /** Nothing new happens any more; resolves when both services know all of it, or with what they do not. */
  settle: (services: Services) => Promise<readonly string[]>
  /** What differs between the two folders, a sentence each. */
  compare: (folders: Readonly<Record<Side, string>>) => Promise<Comparison>
  /** Lies that are left out, because no reader could see them. */
  leftOut: readonly string[]
  stop: () => Promise<void>
}>

export type Comparison = Readonly<{
  /** How many facts, posts, answers or sales were held against each other. */
  compared: string
  differences: readonly string[]
}>

export type OpenWorld = (seed: number) => Promise<World>
