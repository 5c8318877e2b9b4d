/**
 * Sends requests to false Kafka brokers with the client of the programs, and prints the result for each port.
 * The argument gives the ports. It also says whether to send requests to one broker after the other, or to
 * open a log at all brokers at once.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { pino } from 'pino'
import { isOperationError } from '../../../../infra/errors.ts'
import { clusterFailure, tryAgain } from '../../../../infra/kafka-client/broker-errors.ts'
import { createConnections } from '../../../../infra/kafka-client/connections.ts'
import { createKafkaLog } from '../../../../infra/log/kafka/kafka-log.ts'

const { ports, doing } = JSON.parse(process.argv[2] ?? '') as Readonly<{
  ports: readonly number[]
  doing: 'ask' | 'open'
}>
const patienceMs = 20_000
const logger = pino({ level: 'silent' })

/**
 * The first request must fail with a failure of the broker. Later the broker answers correctly, and then the
 * client must succeed.
 */
async function ask(port: number): Promise<string> {
  const connections = createConnections({
    clientId: 'asker',
    logger,
    connectionTimeoutMs: 1_000,
    requestTimeoutMs: 1_000,
  })
  const lane = () => connections.to('asking', { host: '127.0.0.1', port })
  const metadata = () => lane().use((broker) => broker.metadata([]))
  try {
    const error = await metadata().then(
      () => 'nothing failed',
      (cause) => clusterFailure('asking', cause),
    )
    if (!isOperationError(error, 'log_unavailable')) return `FAULT ${error}`
    if (!error.message.includes(`127.0.0.1:${port}`)) return `FAULT without the broker: ${error.message}`
    await tryAgain(metadata, { doing: 'asking again', patienceMs })
    return error.message.replace(`:${port}`, '')
  } catch (error) {
    return `FAULT ${error}`
  } finally {
    connections.close()
  }
}

/** Opens the log as the programs do at their start. */
async function open(port: number): Promise<string> {
  const error = await createKafkaLog({ brokers: [`127.0.0.1:${port}`], nowMs: Date.now, logger }).then(
    () => 'nothing failed',
    (cause) => cause,
  )
  const isTold = isOperationError(error, 'log_unavailable') && error.message.includes(`127.0.0.1:${port}`)
  return isTold ? error.message.replace(`:${port}`, '') : `FAULT ${error}`
}

const memoryMb = (what: 'VmHWM' | 'VmRSS'): number =>
  Math.round(Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)

async function measured(index: number, asking: () => Promise<string>): Promise<void> {
  // Resets the peak memory of the process (VmHWM) that Linux records.
  writeFileSync('/proc/self/clear_refs', '5')
  const before = memoryMb('VmRSS')
  const startedAtMs = performance.now()
  const end = await asking()
  const took = { index, end, tookMs: Math.round(performance.now() - startedAtMs), grownMb: memoryMb('VmHWM') - before }
  process.stdout.write(`ENDED ${JSON.stringify(took)}\n`)
}

// Keeps the process alive, because the sockets of the client do not.
setInterval(() => {}, 1_000)
if (doing === 'open') await Promise.all(ports.map((port, index) => measured(index, () => open(port))))
else for (const [index, port] of ports.entries()) await measured(index, () => ask(port))
process.stdout.write('ALL ENDED\n')
