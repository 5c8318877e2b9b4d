/**
 * Reads and writes the released schemas in `schemas/released/<topic>/<Record>.v<N>.avsc`. A released file
 * never changes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { whyUnreadable } from '../../infra/codec/schema-codec.ts'
import type { AvroRecord } from '../../schemas/avro.ts'
import { topics } from '../../schemas/topics.ts'

const releasedFolder = join(import.meta.dirname, '../../schemas/released')

export type CurrentSchema = Readonly<{ topic: string; name: string; schema: AvroRecord }>

export const currentSchemas: readonly CurrentSchema[] = Object.values(topics).flatMap((topic) =>
  Object.entries(topic.schemas ?? {}).map(([name, schema]) => ({ topic: topic.name, name, schema })),
)

/** Returns the released versions of a record, the oldest first. */
export function releasesOf(
  { topic, name }: Pick<CurrentSchema, 'topic' | 'name'>,
  folder = releasedFolder,
): AvroRecord[] {
  return filesOf(join(folder, topic))
    .map((file) => ({ file, match: /^(.+)\.v(\d+)\.avsc$/.exec(file) }))
    .filter(({ match }) => match?.[1] === name)
    .sort((left, right) => Number(left.match?.[2]) - Number(right.match?.[2]))
    .map(({ file }) => JSON.parse(readFileSync(join(folder, topic, file), 'utf8')) as AvroRecord)
}

/** Returns the reason why the current schema is not released, or null if it is the newest release. */
export function releaseProblem(current: CurrentSchema, releases: readonly AvroRecord[]): string | null {
  for (const [index, released] of releases.entries()) {
    const reason = whyUnreadable(current.schema, released)
    if (reason !== null) return `${current.topic} ${current.name} cannot read its version ${index + 1}: ${reason}`
  }
  const newest = releases.at(-1)
  if (newest !== undefined && textOf(newest) === textOf(current.schema)) return null
  return `${current.topic} ${current.name} is not released: run npm run release-schemas`
}

/**
 * Writes the next version of each schema that differs from its newest release. Returns the paths of the new
 * files. Throws if a schema cannot read a released version.
 */
export function writeReleases(schemas: readonly CurrentSchema[], folder = releasedFolder): string[] {
  return schemas.flatMap((current) => {
    const releases = releasesOf(current, folder)
    const newest = releases.at(-1)
    if (newest !== undefined && textOf(newest) === textOf(current.schema)) return []
    const problem = releaseProblem({ ...current }, [...releases, current.schema])
    if (problem !== null) throw new RangeError(problem)
    const path = join(folder, current.topic, `${current.name}.v${releases.length + 1}.avsc`)
    mkdirSync(join(folder, current.topic), { recursive: true })
    writeFileSync(path, textOf(current.schema), { flag: 'wx' })
    return [path]
  })
}

const textOf = (schema: AvroRecord): string => `${JSON.stringify(schema, null, 2)}\n`

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
