/**
 * The check of a schema registry by `launch-data doctor`: whether it answers, and whether it accepts the
 * schemas of this version. The check registers nothing.
 */
import { topics } from '../../../schemas/topics.ts'
import { answerMsMax, type Check, examine, listed, ok, wrong } from '../../check.ts'
import { subjectOf } from '../schema-codec.ts'

type Subject = Readonly<{ name: string; schema: string }>
type Ask = (path: string, body?: object) => Promise<Response>

type RegistryPlace = Readonly<{ registryUrl: string; topicPrefix: string | undefined }>

export function checkRegistry({ registryUrl: url, topicPrefix: prefix = '' }: RegistryPlace): Promise<Check> {
  const name = 'registry'
  const { host } = new URL(url)
  const toDo = 'start the registry, or correct SCHEMA_REGISTRY_URL, including its path'
  const look = async (): Promise<Check> => {
    const ask = askerOf(url)
    const known = new Set(await jsonOf<readonly string[]>(await ask('/subjects')))
    const ours = subjectsOf(prefix)
    const present = ours.filter((subject) => known.has(subject.name))
    const refused = await refusedOf(ask, present)
    if (refused.length > 0)
      return wrong(
        name,
        `${host} refuses the new schema of ${listed(refused)}, because it cannot read existing records`,
        'run the version that wrote the records, or change the schema. A new field needs a default',
      )
    if (present.length === 0)
      return ok(name, `${host} has none of our schemas yet: the first program that starts registers them`)
    const missing = ours.length - present.length
    const made = missing > 0 ? `; the first program that starts registers ${missing} more` : ''
    return ok(name, `${host}: ${present.length} of ${ours.length} schemas exist and are compatible${made}`)
  }
  return examine({ name, where: host, toDo }, look)
}

const subjectsOf = (prefix: string): readonly Subject[] =>
  Object.values(topics).flatMap((topic) =>
    Object.values(topic.schemas ?? {}).map((schema) => ({
      name: prefix + subjectOf(topic.name, schema),
      schema: JSON.stringify(schema),
    })),
  )

async function refusedOf(ask: Ask, present: readonly Subject[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    present.map(async ({ name, schema }) => {
      const path = `/compatibility/subjects/${encodeURIComponent(name)}/versions/latest`
      const { is_compatible: isCompatible } = await jsonOf<{ is_compatible: boolean }>(
        await ask(path, { schemaType: 'AVRO', schema }),
      )
      return isCompatible ? [] : [name]
    }),
  )
  return answers.flat()
}

/**
 * Returns a function that sends requests to the registry. `fetch` rejects a URL that contains a user and a
 * password. So the function sends user and password in a header.
 */
function askerOf(text: string): Ask {
  const url = new URL(text)
  const user = [url.username, url.password].map(decodeURIComponent).join(':')
  url.username = ''
  url.password = ''
  const base = url.href.replace(/\/$/, '')
  const headers = {
    'content-type': 'application/vnd.schemaregistry.v1+json',
    ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  }
  return (path, body) =>
    fetch(base + path, {
      headers,
      signal: AbortSignal.timeout(answerMsMax),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
}

async function jsonOf<Answer>(response: Response): Promise<Answer> {
  const { status, statusText } = response
  if (status === 401 || status === 403)
    throw new TypeError(
      `answers ${status} ${statusText}: put a user and a password that the registry accepts into SCHEMA_REGISTRY_URL`,
    )
  if (status === 404) throw new TypeError(`answers ${status} ${statusText}: there is no registry at this path`)
  if (!response.ok) throw new TypeError(`answers ${status} ${statusText}`)
  return (await response.json()) as Answer
}
