import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { type Cell, openParquetFile, type Row, rowsOf } from '../../../infra/archive/parquet-file.ts'
import { verifyArchive } from '../../../infra/archive/verify.ts'
import { callerIdOf, chatIdOf, ruleIdOf } from '../../../infra/public-ids.ts'
import { ticksOf } from '../../../infra/replay/instants.ts'
import { openTopic } from '../../../infra/replay/read-replay.ts'
import { replayedStages, selectTopics } from '../../../infra/replay/replayed-topics.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { type FilledLog, fillLog, firstDay, laterMs, never, stages } from './filled-log.ts'

const secrets = { callerIds: 'the key of callers', ruleIds: 'the key of rules' }

describe('public files', () => {
  let folder: string
  let open: FilledLog
  let rows: readonly Row[]
  let names: Names
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'launch-data-public-'))
    open = await fillLog()
    names = await namesIn(open)
    await exportDay({
      ...{
        open,
        folder,
        secrets,
        day: firstDay,
        form: 'public',
        stages: replayedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 }),
      },
      ...{ nowMs: () => laterMs, signal: never },
    })
    const { manifests, faults } = await verifyArchive(folder, never)
    expect(faults).to.deep.equal([])
    const found: Row[] = []
    for (const { path } of manifests.flatMap(({ files }) => files)) {
      const file = await openParquetFile(join(folder, path))
      for (let index = 0; index < file.groupCount; index++)
        found.push(...rowsOf(await file.readGroup(index), file.columns))
    }
    rows = found
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('contain no id of a chat or poster, no name of a rule and no number of a post', () => {
    for (const kind of ['chats', 'posters', 'rules'] as const) expect(names[kind].size, kind).to.be.greaterThan(2)
    const texts = new Set(rows.flatMap((row) => Object.values(row).flatMap(textsIn)))
    // Posters of one digit are compared below, because amounts can be equal to them.
    const plain = [...names.chats, ...names.posters, ...names.rules].filter((name) => name.length > 1)
    const shows = (name: string) => [...texts].some((text) => text === name || text.startsWith(`${name}:`))
    expect(plain.filter(shows)).to.deep.equal([])
    expect(rows.filter(({ post, replyTo, failure, value }) => post ?? replyTo ?? failure ?? value)).to.deep.equal([])
  })

  it('have keyed hashes in all places of chats and posters', () => {
    const shown = rows.flatMap(({ chat, originChat, poster, chats }) => [
      ...[chat, originChat, poster],
      ...JSON.parse(String(chats ?? '[]')).flatMap((its: { chat: string; posters: string[] }) => [
        its.chat,
        ...its.posters,
      ]),
    ])
    const hashes = shown.filter((text) => text !== undefined)
    expect(hashes.length).to.be.greaterThan(100)
    expect(hashes.filter((text) => !/^[0-9a-f]{40}$/.test(text))).to.deep.equal([])
  })

  it('have the ids of answers', () => {
    const of = (type: string) => rows.filter((row) => row.type === type)
    const [chat = ''] = names.chats
    expect(of('Mentioned').map((row) => row.chat)).to.include(chatIdOf(chat, secrets.callerIds))
    const callers = [...names.posters].map((poster) => callerIdOf(chat, poster, secrets.callerIds))
    expect(of('CallScored').map((row) => row.poster)).to.include.oneOf(callers)
    const rules = of('BurstOutcome').flatMap(({ exits }) =>
      JSON.parse(String(exits)).map((exit: { rule: string }) => exit.rule),
    )
    const [rule = ''] = [...names.rules].filter((name) => name !== 'hold')
    for (const scope of ['', 'chain-b:']) expect(rules, scope).to.include(ruleIdOf(rule, secrets.ruleIds, scope))
    expect(of('Mentioned').map((row) => row.chatName)).to.satisfy((all: readonly unknown[]) =>
      all.every((name) => name === undefined || String(name).startsWith('@')),
    )
  })

  it('have only topics that may be given to others, and may be read by everybody', async () => {
    expect([...new Set(rows.map(({ topic }) => topic))].sort()).to.deep.equal([
      ...['chain-a-derived', 'chain-a-facts', 'chain-b-derived', 'chain-b-facts'],
    ])
    const stats = await stat(join(folder, 'topic=chain-a-facts/day=2026-01-01/part-0.parquet'))
    expect(stats.mode & 0o044).to.equal(0o044)
    const exporting = { open, folder, secrets, day: firstDay, nowMs: () => laterMs, signal: never } as const
    const work = exportDay({ ...exporting, form: 'public', stages, folder: join(folder, 'other') })
    expect(
      await work.then(
        () => '',
        (error: Error) => error.name,
      ),
    ).to.equal('AssertionError')
    await expectFailure(exportDay({ ...exporting, form: 'public', stages }), 'folder_unusable')
  })
})

/** The texts in a cell. Nested values are JSON. */
function textsIn(cell: Cell): readonly string[] {
  if (typeof cell !== 'string') return []
  if (!cell.startsWith('{') && !cell.startsWith('[')) return [cell]
  const texts: string[] = []
  JSON.parse(cell, (_, value) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}

type Names = Readonly<{ chats: Set<string>; posters: Set<string>; rules: Set<string> }>

/** Collects the plain names of the log, wherever a record has them. */
async function namesIn(log: FilledLog): Promise<Names> {
  const names: Names = { chats: new Set(), posters: new Set(), rules: new Set() }
  const kinds: Readonly<Record<string, Set<string>>> = {
    ...{ chat: names.chats, originChat: names.chats, rule: names.rules },
    ...{ poster: names.posters, posters: names.posters },
  }
  const note = (value: unknown): void => {
    JSON.stringify(value, (field, its) => {
      for (const text of [its].flat()) if (typeof text === 'string' && text !== 'hold') kinds[field]?.add(text)
      return typeof its === 'bigint' ? null : its
    })
  }
  for (const topic of stages.flatMap((stage) => selectTopics([stage], {})))
    for (const source of (await openTopic(topic, log)).partitions)
      for await (const { records } of ticksOf(source, { fromOffset: 0, types: topic.types, signal: never }))
        for (const { batch, index } of records) note(source.codec.decode(batch.valueAt(index) as Buffer).data)
  return names
}
