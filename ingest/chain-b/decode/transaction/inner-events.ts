import { bytesOfBase58 } from '../../../../infra/base58.ts'
import { viewed } from '../../../../infra/codec/avro/viewed-bytes.ts'
import type { RawEvent } from '../decoded-event.ts'
import { type Role, roleOf } from '../programs.ts'
import type { Message } from './message.ts'
import { objectsOf, textsOf, type WireInner, type WireInstruction, type WireMeta } from './wire.ts'

/**
 * The tag of an event. To emit an event, a program calls itself with this tag and the event as data. The
 * program's event authority signs the call.
 */
const tag = Buffer.from('e445a52e51cb9a1d', 'hex')

/**
 * Returns the events in the inner instructions, in order. Returns null if the node's answer has no list of
 * inner instructions. The transaction may then still have events.
 */
export function innerEvents(message: Message, meta: WireMeta): readonly RawEvent[] | null {
  const groups = objectsOf<WireInner>(meta.innerInstructions)
  if (groups === null) return null
  const roles = withLoaded(message.roles, meta)
  const events: RawEvent[] = []
  // Sorts the groups by the index of their outer instruction, because no specification requires nodes to send
  // them in order.
  for (const { instructions } of [...groups].sort((left, right) => Number(left.index) - Number(right.index)))
    for (const instruction of objectsOf<WireInstruction>(instructions) ?? []) {
      const event = eventOf(instruction, roles)
      if (event !== null) events.push(event)
    }
  return events
}

type Roles = Message['roles']

function withLoaded(roles: Roles, { loadedAddresses }: WireMeta): Roles {
  const loaded = [...(textsOf(loadedAddresses?.writable) ?? []), ...(textsOf(loadedAddresses?.readonly) ?? [])]
  return loaded.length === 0 ? roles : [...roles, ...loaded.map(roleOf)]
}

/**
 * Returns the event that an instruction emits, or null if it emits none. A call that emits an event has a
 * single account, which is the program's event authority. No other program can sign for this account.
 */
function eventOf({ programId, programIdIndex, accounts, data }: WireInstruction, roles: Roles): RawEvent | null {
  const role = roleAt(programId ?? programIdIndex, roles)
  if (role?.is !== 'program' || typeof data !== 'string' || !Array.isArray(accounts) || accounts.length !== 1)
    return null
  const authority = roleAt(accounts[0], roles)
  if (authority?.is !== 'event-authority' || authority.program !== role.program) return null
  const bytes = bytesOfBase58(data)
  if (bytes === null || !bytes.subarray(0, tag.length).equals(tag)) return null
  return { program: role.program, payload: viewed(bytes.subarray(tag.length)) }
}

function roleAt(account: unknown, roles: Roles): Role | undefined {
  if (typeof account === 'string') return roleOf(account)
  return typeof account === 'number' ? roles[account] : undefined
}
