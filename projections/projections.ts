/**
 * The projections of the service: definitions of how records become table rows. There is one for every stage
 * whose records appear in API answers. Read this file first.
 */
import { chainAProjection } from './chain-a/projection.ts'
import { chainBProjection } from './chain-b/projection.ts'
import { chatsProjection } from './chats/projection.ts'
import type { Projection } from './projection.ts'

export const projections: readonly Projection[] = [chainAProjection, chainBProjection, chatsProjection]
