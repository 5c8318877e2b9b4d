/** The configuration of a chat reader. Each reader has its own variables. `readers.ts` lists the readers. */
import type { Check } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ChatReader } from './reader.ts'

export type ReaderDependencies = Readonly<{ nowMs: () => EpochMs; logger: Logger }>

/** A reader for the chats of the configuration. */
export type ConfiguredReader = Readonly<{
  /** Fails with `config_invalid` if the reader cannot read one of the chats. */
  open(dependencies: ReaderDependencies): Promise<ChatReader>
  /** The checks of `launch-data doctor`. */
  check(): Promise<readonly Check[]>
}>

/** Returns null if the configuration does not choose this reader. `channels` are the chats of `CHAT_CHANNELS`. */
export type ReaderChoice = (config: Config, channels: readonly string[]) => Promise<ConfiguredReader | null>
