/** A schema registry with Confluent's protocol, through Confluent's client. */
import type { AvroRecord } from '../../../schemas/avro.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import { isSameSchema, type SchemaRegistry } from '../schema-codec.ts'
import { type Ask, connectRegistry, type RegistryClient, type RegistryOptions } from './registry-client.ts'

export type ConfluentRegistryOptions = RegistryOptions &
  Readonly<{
    /** The prefix of every topic and every subject on the cluster. */
    topicPrefix?: string | undefined
  }>

/**
 * Connects to the registry. `register` sets the compatibility rule of a subject to BACKWARD_TRANSITIVE before
 * it registers a new schema there. Fails with `dependency_missing` if the client's package is not installed.
 * `register` and `fetch` fail with:
 * - `registry_unreachable` while no registry answers
 * - `registry_refused` if the registry refuses a request
 * - `schema_incompatible`, with the registry's reason
 */
export async function createConfluentRegistry(options: ConfluentRegistryOptions): Promise<SchemaRegistry> {
  const ask = await connectRegistry(options)
  // Several codecs register the same schema, so the answers of the registry are cached for the process.
  const ids = new Map<string, number>()
  return {
    async register(subject, schema) {
      const text = JSON.stringify(schema)
      const id = ids.get(subject + text) ?? (await idOf(ask, `${options.topicPrefix ?? ''}${subject}`, schema))
      ids.set(subject + text, id)
      return id
    },
    async fetch(id) {
      return await orNull(ask((client) => schemaAt(client, id)))
    },
  }
}

/**
 * Returns the id of a schema. Registers the schema only if a lookup does not find it. Some registries use up
 * an id when a known schema is registered again. The ids should have no gaps.
 */
async function idOf(ask: Ask, subject: string, schema: AvroRecord): Promise<number> {
  const info = { schemaType: 'AVRO', schema: JSON.stringify(schema) }
  const checked = async (client: RegistryClient, id: unknown) => await checkedId(client, id, schema)
  const lookUp = () => orNull(ask(async (client) => checked(client, await client.getId(subject, info, false))))
  const register = () => ask(async (client) => checked(client, await client.register(subject, info, false)))
  const known = await lookUp()
  if (known !== null) return known
  const setRule = () => ask((client) => client.updateCompatibility(subject, backwardTransitive))
  // If two programs start at the same time, one of them gets a conflict. The subject then exists, so a second
  // call can set the rule.
  await setRule().catch((error: unknown) => {
    if (!isRefusal(error, 409)) throw error
    return setRule()
  })
  try {
    return await register()
  } catch (error) {
    if (!isRefusal(error, 409)) throw error
  }
  // Handles a conflict: another program may have registered this schema or an earlier version first.
  try {
    return (await lookUp()) ?? (await register())
  } catch (error) {
    throw isRefusal(error, 409) ? incompatible(subject, schema, error) : error
  }
}

/**
 * Returns `id` if the registry returns this schema for `id`, perhaps in another format. Every record contains its schema id, and a wrong id
 * would make the log unreadable.
 */
async function checkedId(client: RegistryClient, id: unknown, schema: AvroRecord): Promise<number> {
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0)
    throw new TypeError('the registry answered without a schema id')
  const found = await schemaAt(client, id).catch((cause: unknown) => {
    throw new TypeError('the registry returned a schema id, but has no schema with this id', { cause })
  })
  if (isSameSchema(found, schema)) return id
  throw new TypeError('the registry returned the id of a different schema')
}

async function schemaAt(client: RegistryClient, id: number): Promise<AvroRecord> {
  const found: unknown = await client.getBySubjectAndId('', id)
  const { schema: text } = found as Readonly<{ schema?: unknown }>
  const schema: unknown = typeof text === 'string' ? JSON.parse(text) : null
  if ((schema as AvroRecord | null)?.type !== 'record')
    throw new TypeError(`the registry has no Avro record schema with the id ${id}`)
  return schema as AvroRecord
}

/** Adds the name of the field to the registry's reason, because some registries report only the index of the field. */
function incompatible(subject: string, schema: AvroRecord, cause: OperationError): OperationError {
  const reason = String(cause.context.reason).replace(/\/fields\/(\d+)/g, (path, index) => {
    const field = schema.fields[Number(index)]
    return field ? `${path} (${field.name})` : path
  })
  return new OperationError(
    'schema_incompatible',
    `the registry refuses the new schema of ${subject}: ${reason}. Run the version that wrote the records, or change the schema`,
    {
      cause,
      context: { subject },
    },
  )
}

/**
 * A value of the client's own enum. The enum cannot be imported here, because the client's module is loaded only when
 * it is needed.
 */
const backwardTransitive = 'BACKWARD_TRANSITIVE' as Parameters<RegistryClient['updateCompatibility']>[1]

const orNull = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (isRefusal(error, 404)) return null
    throw error
  })

const isRefusal = (error: unknown, status: number): error is OperationError =>
  isOperationError(error, 'registry_refused') && error.context.status === status
