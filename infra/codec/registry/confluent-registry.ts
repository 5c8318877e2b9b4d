/** The schema registry of a cluster: whatever speaks Confluent's protocol, asked through Confluent's own client. */
import type { AvroRecord } from '../../../schemas/avro.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import type { SchemaRegistry } from '../schema-codec.ts'
import { type Ask, connectRegistry, type RegistryClient, type RegistryOptions } from './registry-client.ts'

export type ConfluentRegistryOptions = RegistryOptions &
  Readonly<{
    /** Stands before every topic's name on the cluster, so before every subject too. */
    topicPrefix?: string | undefined
  }>

/**
 * A subject is held to BACKWARD_TRANSITIVE before its first schema stands there. Everything fails with
 * `registry_unreachable` while the registry stays away, `registry_refused` when it does not take what it is asked,
 * `schema_incompatible` with its own reason. Fails with `dependency_missing` without the optional package.
 */
export async function createConfluentRegistry(options: ConfluentRegistryOptions): Promise<SchemaRegistry> {
  const ask = await connectRegistry(options)
  // Every codec registers its schemas; a process asks once.
  const ids = new Map<string, number>()
  return {
    async register(subject, schema) {
      const text = JSON.stringify(schema)
      const id = ids.get(subject + text) ?? (await idOf(ask, `${options.topicPrefix ?? ''}${subject}`, schema))
      ids.set(subject + text, id)
      return id
    },
    async fetch(id) {
      const found = await orNull(ask((client) => client.getBySubjectAndId('', id)))
      return found === null ? null : (JSON.parse(found.schema) as AvroRecord)
    },
  }
}

/** Looks before it registers: a registry may use up an id for a schema that it knows, and ids are to stay in order. */
async function idOf(ask: Ask, subject: string, schema: AvroRecord): Promise<number> {
  const info = { schemaType: 'AVRO', schema: JSON.stringify(schema) }
  const look = () => orNull(ask((client) => client.getId(subject, info, false)))
  const register = () => ask((client) => client.register(subject, info, false))
  const known = await look()
  if (known !== null) return known
  const hold = () => ask((client) => client.updateCompatibility(subject, backwardTransitive))
  // Of two programs that start at once, one may be told that the other was first: by then there is a rule to set.
  await hold().catch((error: unknown) => {
    if (!isRefusal(error, 409)) throw error
    return hold()
  })
  try {
    return await register()
  } catch (error) {
    if (!isRefusal(error, 409)) throw error
  }
  // Somebody who started with us may have been first, with the same schema or with an earlier one.
  try {
    return (await look()) ?? (await register())
  } catch (error) {
    throw isRefusal(error, 409) ? incompatible(subject, schema, error) : error
  }
}

/** A registry may name a field by its place alone. */
function incompatible(subject: string, schema: AvroRecord, cause: OperationError): OperationError {
  const reason = String(cause.context.reason).replace(/\/fields\/(\d+)/g, (path, index) => {
    const field = schema.fields[Number(index)]
    return field ? `${path} (${field.name})` : path
  })
  return new OperationError('schema_incompatible', `the registry refuses the new ${subject}: ${reason}`, {
    cause,
    context: { subject },
  })
}

/** The client's own word for it is an enum of its own module, which is loaded late. */
const backwardTransitive = 'BACKWARD_TRANSITIVE' as Parameters<RegistryClient['updateCompatibility']>[1]

const orNull = <Answer>(answer: Promise<Answer>): Promise<Answer | null> =>
  answer.catch((error: unknown) => {
    if (isRefusal(error, 404)) return null
    throw error
  })

const isRefusal = (error: unknown, status: number): error is OperationError =>
  isOperationError(error, 'registry_refused') && error.context.status === status
