/** Collects everything that a service stores and answers about chain A, as text. */
import { chainAProjection } from '../../projections/chain-a/projection.ts'
import { ticks } from '../../projections/ticks.ts'
import { watermarkTable } from '../../projections/watermarks.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { type Contents, logContents } from '../proofs/crash/contents.ts'
import { rowsOf } from '../proofs/same/tables.ts'
import { readAll } from '../replay/stage-log.ts'
import { minute, type Service } from './service.ts'

const paths = [
  '/v1/rh/bursts/live?minutes=240&tier=all',
  '/v1/rh/bursts/history?hours=24&tier=all',
  '/v1/rh/pools/new?hours=24&limit=1000',
  '/v1/rh/crews?minBursts=3',
]

type PoolList = Readonly<{ pools: readonly Readonly<{ id: string; token: string }>[] }>

export async function chainAContents(service: Service, lastMinute: number): Promise<Contents> {
  const contents: Record<string, readonly string[]> = { ...(await logContents(service.log, [chainAStage])) }
  // Both chains share this topic, so its offsets are not compared. Keys with a slash belong to the second
  // chain.
  const addresses = await readAll(service.log, 'addresses', 0)
  contents.addresses = addresses.flatMap(({ key, value }) =>
    key.includes('/') ? [] : [`${key} ${value?.toString('hex')}`],
  )
  const { database } = service
  const ofTopic = `topic = '${chainAStage.derivedTopic.name}'`
  const asked = [...chainAProjection.tables.map(({ name }) => ({ name, where: '1' }))]
  asked.push({ name: ticks.name, where: ofTopic }, { name: watermarkTable, where: ofTopic })
  for (const { name: table, where } of asked) {
    const lines: string[] = []
    for await (const { bytes } of rowsOf({ database, name: database.name, table }, where)) lines.push(bytes.toString())
    contents[table] = lines
  }
  for (const atMs of [minute(15), minute(35), minute(lastMinute)]) {
    const listed = JSON.parse(await service.answerAt('/v1/rh/pools/new?hours=24&limit=5', atMs)) as PoolList
    const those = listed.pools.flatMap(({ id, token }) => [`/v1/rh/pools/${id}/flow`, `/v1/rh/token/${token}/rugcheck`])
    for (const path of [...paths, ...those]) contents[`${path} at ${atMs}`] = [await service.answerAt(path, atMs)]
    const snapshot = JSON.parse(await service.answerAt('/v1/snapshot?minutes=240', atMs))
    contents[`snapshot at ${atMs}`] = [JSON.stringify(snapshot.chainA)]
  }
  return contents
}
