/** `npm run kafka:down`: stops the local Kafka cluster that `kafka:up` started, and removes its data. */
import { readKeptCluster, stopKeptCluster } from './kept-cluster.ts'

const kept = await readKeptCluster()
if (kept !== null) await stopKeptCluster(kept)
process.stderr.write(
  kept === null ? 'no local cluster is running\n' : 'the local cluster is stopped and its data removed\n',
)
