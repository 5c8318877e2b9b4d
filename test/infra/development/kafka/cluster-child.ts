/** Runs a cluster in the folder that the argument names, until it is killed. */
import { startKafka } from '../../../../infra/development/kafka/cluster.ts'

const { brokers, brokerPids } = await startKafka({ dataDir: process.argv[2] ?? '' })
process.stdout.write(`${JSON.stringify({ brokers, pid: brokerPids()[0] })}\n`)
setInterval(() => {}, 60_000)
