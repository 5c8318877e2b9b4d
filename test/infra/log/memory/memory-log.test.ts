import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { describeLogContract } from '../../../contracts/log-contract.ts'

describeLogContract('memory log', { create: async (nowMs) => createMemoryLog({ nowMs }) })
