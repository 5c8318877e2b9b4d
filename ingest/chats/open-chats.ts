/** The chats that are followed, or simulated ones. */
import type { Config } from '../../infra/config.ts'
import type { Logger } from '../../infra/telemetry.ts'
import { createQuietChats } from './quiet-chats.ts'
import type { Chats } from './types.ts'

export const configuredChats = (_: Config, { nowMs }: Readonly<{ nowMs: () => number; logger: Logger }>): Chats =>
  createQuietChats({ nowMs })
