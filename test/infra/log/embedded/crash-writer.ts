/** Appends rounds to three partitions of two topics and prints each acknowledged round, until it is killed. */
import { createEmbeddedLog } from '../../../../infra/log/embedded/embedded-log.ts'
import { roundRecords } from './crash-round.ts'

const [dataDir = '', firstRound = '0', dayStep = '0'] = process.argv.slice(2)
let round = Number(firstRound)
// The clock advances a day every few rounds, so that some appends are cut off while a day's environment is created.
const log = await createEmbeddedLog({ dataDir, nowMs: () => Math.floor(round / 20) * Number(dayStep) })
const writer = await log.openWriter('crash-writer')
for (;;) {
  await writer.append(roundRecords(round))
  process.stdout.write(`${round}\n`)
  round++
}
