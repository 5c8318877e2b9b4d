/**
 * Uses a schema registry like the programs with a log on Kafka. Registers all schemas and fetches each schema
 * by id, again and again until the process is stopped. The registry is honest in the first round, so the ids
 * of this round are right.
 */
import { isDeepStrictEqual } from 'node:util'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { subjectOf } from '../../../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { topics } from '../../../../schemas/topics.ts'

/**
 * The numbers of requests by result: `right`, `wrong` or the code of a failure. `a fault of ours` is an
 * unexpected error in our own code.
 */
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

/** Opens a new registry client each time, because a client requests each id only one time. */
async function askAbout({ subject, schema }: (typeof schemas)[number]): Promise<void> {
  try {
    const registry = await createConfluentRegistry({ url, patienceMs })
    const id = await registry.register(subject, schema)
    if (!ids.has(subject)) ids.set(subject, id)
    count(id === ids.get(subject) ? 'right' : 'wrong')
    const found = await registry.fetch(ids.get(subject) ?? 0)
    // A null means that the registry has no such schema. This is not a wrong answer.
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
