/** A schema registry with Confluent's protocol, through Confluent's client. */
import type { AvroRecord } from '../../../schemas/avro.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import { isSameSchema, type SchemaRegistry } from '../schema-codec.ts'
import { type Ask, connectRegistry, type RegistryClient, type RegistryOptions } from './registry-client.ts'

export type ConfluentRegistryOptions = RegistryOptions &
  Readonly<{
    /** The prefix of every topic on the cluster, and so of every subject. */
    topicPrefix?: string | undefined
  }>

/**
 * Sets a subject to BACKWARD_TRANSITIVE before it registers the first schema there. Its methods fail with
 * `registry_unreachable` while no registry answers, `registry_refused` if it refuses a request, and
 * `schema_incompatible` with the registry's reason. Fails with `dependency_missing` without the optional package.
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
 * Looks the schema up before it registers it, because some registries use up an id for a known schema, and ids should
 * have no gaps.
 */
async function idOf(ask: Ask, subject: string, schema: AvroRecord): Promise<number> {
  const info = { schemaType: 'AVRO', schema: JSON.stringify(schema) }
  const checked = async (client: RegistryClient, id: unknown) => await checkedId(client, id, schema)
  const lookUp = () => orNull(ask(async (client) => checked(client, await client.getId(subject, info, false))))
  const register = () => ask(async (client) => checked(client, await client.register(subject, info, false)))
  const known = await lookUp()
  if (known !== null) return known
  const setRule = () => ask((client) => client.updateCompatibility(subject, backwardTransitive))
  // If two programs start at once, one gets a conflict. By then the subject exists, so its rule can be set.
  await setRule().catch((error: unknown) => {
    if (!isRefusal(error, 409)) throw error
    return setRule()
  })
  try {
    return await register()
  } catch (error) {
    if (!isRefusal(error, 409)) throw error
  }
  // Another program may have registered first, the same schema or an earlier version.
  try {
    return (await lookUp()) ?? (await register())
  } catch (error) {
    throw isRefusal(error, 409) ? incompatible(subject, schema, error) : error
  }
}

/**
 * Every record carries its schema id, and a wrong id makes the log unreadable. So an id is only accepted if the
 * registry has this schema under it. The registry may format the schema differently.
 */
async function checkedId(client: RegistryClient, id: unknown, schema: AvroRecord): Promise<number> {
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) throw new TypeError('the registry gave no id')
  const found = await schemaAt(client, id).catch((cause: unknown) => {
    throw new TypeError('the registry does not have the schema of an id that it returned', { cause })
  })
  if (isSameSchema(found, schema)) return id
  throw new TypeError('the registry gave the id of another schema')
}

async function schemaAt(client: RegistryClient, id: number): Promise<AvroRecord> {
  const found: unknown = await client.getBySubjectAndId('', id)
  const { schema: text } = found as Readonly<{ schema?: unknown }>
  const schema: unknown = typeof text === 'string' ? JSON.parse(text) : null
  if ((schema as AvroRecord | null)?.type !== 'record')
    throw new TypeError(`what the registry has under the id ${id} is not an Avro record schema`)
  return schema as AvroRecord
}

/** Adds the field's name: some registries report only its index. */
function incompatible(subject: string, schema: AvroRecord, cause: OperationError): OperationError {
  const reason = String(cause.context.reason).replace(/\/fields\/(\d+)/g, (path, index) => {
    const field = schema.fields[Number(index)]
    return field ? `${path} (${field.name})` : path
  })
  return new OperationError('schema_incompatible', `the registry refuses the new schema of ${subject}: ${reason}`, {
    cause,
    context: { subject },
  })
}

/** The client has an enum for this, but its module is loaded later. */
const backwardTransitive = 'BACKWARD_TRANSITIVE' as Parameters<RegistryClient['updateCompatibility']>[1]

const orNull = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (isRefusal(error, 404)) return null
    throw error
  })

const isRefusal = (error: unknown, status: number): error is OperationError =>
  isOperationError(error, 'registry_refused') && error.context.status === status
