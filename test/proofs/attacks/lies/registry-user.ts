/**
 * Uses a schema registry as the programs do with a log on Kafka, again and again until it is stopped. It registers all schemas and fetches
 * each by its id. The first round is honest, so it gives the right ids.
 */
import { isDeepStrictEqual } from 'node:util'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { topics } from '../../../../schemas/topics.ts'

/** The number of results: `right`, `wrong`, or the code of the failure. `a fault of ours` is a failure that does not blame the registry. */
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

/** Opens a new registry client each time, because a client requests an id only once. */
async function askAbout({ subject, schema }: (typeof schemas)[number]): Promise<void> {
  try {
    const registry = await createConfluentRegistry({ url, patienceMs })
    const id = await registry.register(subject, schema)
    if (!ids.has(subject)) ids.set(subject, id)
    count(id === ids.get(subject) ? 'right' : 'wrong')
    const found = await registry.fetch(ids.get(subject) ?? 0)
    // Null: the registry has no such schema, which is not a wrong answer.
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
