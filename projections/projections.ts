/** The projections of the service: one for every stage whose records answers show. Read this file first. */
import { chainAProjection } from './chain-a/projection.ts'
import { chainBProjection } from './chain-b/projection.ts'
import { chatsProjection } from './chats/projection.ts'
import type { Projection } from './projection.ts'

export const projections: readonly Projection[] = [chainAProjection, chainBProjection, chatsProjection]
