/**
 * Defines how the configuration chooses a chat reader. Each reader has its own configuration variables.
 * `readers.ts` lists the readers.
 */
import type { Check } from '../../infra/check.ts'
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { ChatReader } from './reader.ts'

export type ReaderDependencies = Readonly<{ nowMs: () => EpochMs; logger: Logger }>

/** A chat reader that can read the configured chats. */
export type ConfiguredReader = Readonly<{
  /** Opens the reader. Fails with `config_invalid` if the reader cannot read one of the chats. */
  open(dependencies: ReaderDependencies): Promise<ChatReader>
  /** Makes the checks of the reader for the command `launch-data doctor`. */
  check(): Promise<readonly Check[]>
}>

/**
 * Returns the reader if the configuration chooses it, otherwise null. `channels` are the chats of
 * `CHAT_CHANNELS`.
 */
export type ReaderChoice = (config: Config, channels: readonly string[]) => Promise<ConfiguredReader | null>
