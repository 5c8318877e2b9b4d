/** Opens the log on the brokers that the argument names, and waits for an append that never comes. */
import { pino } from 'pino'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'

const brokers = (process.argv[2] ?? '').split(',')
const log = await createKafkaLog({ brokers, nowMs: Date.now, logger: pino({ level: 'silent' }), topicPrefix: 'idle-' })
await log.openWriter('ledger', { isTransactional: false })
await log.bounds('chain-a-facts', 0)
void log.waitForAppend({ topic: 'chain-a-facts', partition: 0, offset: 0 }, new AbortController().signal)
console.log('waiting')
