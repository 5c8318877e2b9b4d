/**
 * What every program with a log on Kafka asks of a schema registry, again and again, until it is told to end: it registers all
 * schemas, and looks each up by its id. The ids of the first round, when the registry is honest, are the right ones.
 */
import { isDeepStrictEqual } from 'node:util'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { topics } from '../../../../schemas/topics.ts'

/** How questions ended, by `right`, `wrong` or the code of the failure; `a fault of ours`: it is no failure of a registry. */
export type Asked = Readonly<Record<string, number>>

const [url = ''] = process.argv.slice(2)
const patienceMs = 3_000
const schemas = Object.values(topics).flatMap(({ name, schemas: all }) =>
  Object.values(all ?? {}).map((schema) => ({ subject: subjectOf(name, schema), schema })),
)
const ids = new Map<string, number>()
let counts: Record<string, number> = {}
const count = (outcome: string) => {
  counts[outcome] = (counts[outcome] ?? 0) + 1
}

/** A registry of its own, because a process asks for an id once. */
async function askAbout({ subject, schema }: (typeof schemas)[number]): Promise<void> {
  try {
    const registry = await createConfluentRegistry({ url, patienceMs })
    const id = await registry.register(subject, schema)
    if (!ids.has(subject)) ids.set(subject, id)
    count(id === ids.get(subject) ? 'right' : 'wrong')
    const found = await registry.fetch(ids.get(subject) ?? 0)
    // A registry that has no such schema says no more than that.
    if (found !== null) count(isDeepStrictEqual(found, schema) ? 'right' : 'wrong')
  } catch (error) {
    count(isOperationError(error) ? error.code : 'a fault of ours')
    if (!isOperationError(error)) console.error(error)
  }
}

process.on('message', () => {
  process.send?.(counts)
  counts = {}
})
for (let round = 0; ; round++)
  for (const [index, each] of schemas.entries()) {
    await askAbout(each)
    if (round === 0 && index === schemas.length - 1) process.send?.('ready')
  }
