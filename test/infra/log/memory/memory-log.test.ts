import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { describeFollowedTokens } from '../../../contracts/followed-tokens.ts'
import { describeLogContract } from '../../../contracts/log-contract.ts'

describeLogContract('memory log', { create: async (nowMs) => createMemoryLog({ nowMs }) })

describeFollowedTokens('memory log', { create: async () => createMemoryLog({ nowMs: Date.now }) })
