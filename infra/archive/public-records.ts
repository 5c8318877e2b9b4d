/**
 * Turns records into what public files show of them: chats, callers and rules have the ids of answers, private chats
 * have no name, and nothing leads to the text of a post.
 */
import { createHmac } from 'node:crypto'
import type { AvroRecord } from '../../schemas/avro.ts'
import type { Topic } from '../../schemas/topics.ts'
import { callerIdOf, chatIdOf, chatNameOf, ruleIdOf } from '../public-ids.ts'
import type { FiledRecord } from './columns.ts'

export type PublicSecrets = Readonly<{ callerIds: string; ruleIds: string }>
type Keys = PublicSecrets & Readonly<{ ruleScope: string }>

/** `row`: the name of a row, which can contain the id of a chat. */
type Treatment = 'plain' | 'chat' | 'chatName' | 'poster' | 'rule' | 'row'

/**
 * How public files show a text, by `<record>.<field>`. A text that is not listed is left out, such as the failure of a
 * lookup, which can contain the address of a node.
 */
const treatments: Readonly<Record<string, Treatment>> = {
  ...{ 'Mentioned.chat': 'chat', 'Mentioned.chatName': 'chatName', 'Mentioned.poster': 'poster' },
  ...{ 'Mentioned.originChat': 'chat', 'CardRead.chat': 'chat', 'CardRead.bot': 'plain' },
  ...{ 'CallChat.chat': 'chat', 'CallChat.chatName': 'chatName', 'CallChat.posters': 'poster' },
  ...{ 'CallScored.chat': 'chat', 'CallScored.chatName': 'chatName', 'CallScored.poster': 'poster' },
  ...{ 'RuleExit.rule': 'rule', 'Withdrawn.name': 'row', 'Restated.name': 'row' },
  ...{ 'Withdrawn.recordType': 'plain', 'Restated.recordType': 'plain', 'Tick.rulesVersion': 'plain' },
  ...{ 'CurveLaunched.launchpad': 'plain', 'CurveLaunched.symbol': 'plain', 'CurveLaunched.name': 'plain' },
  ...{ 'CurveFound.launchpad': 'plain', 'CurveFound.symbol': 'plain' },
  ...{ 'LaunchCurve.launchpad': 'plain', 'LaunchCurve.symbol': 'plain' },
  ...{ 'MintOpened.name': 'plain', 'MintOpened.symbol': 'plain' },
  ...{
    'SendersAnswered.questionId': 'plain',
    'OwnersAnswered.questionId': 'plain',
    'PriceAnswered.questionId': 'plain',
  },
  ...{ 'SendersAsked.questionId': 'plain', 'OwnersAsked.questionId': 'plain', 'PriceAsked.questionId': 'plain' },
  ...{ 'HoldersAnswered.questionId': 'plain', 'SafetyAnswered.questionId': 'plain' },
  ...{
    'HoldersAsked.questionId': 'plain',
    'SafetyAsked.questionId': 'plain',
    'PrecallSendersAsked.questionId': 'plain',
  },
  ...{ 'SafetyAnswered.provider': 'plain', 'SafetyRisk.name': 'plain', 'SafetyRisk.level': 'plain' },
  ...{ 'Safety.provider': 'plain', 'Safety.fails': 'plain' },
  ...{ 'Call.triggered': 'plain', 'Penalty.field': 'plain', 'ScannerGrade.bots': 'plain' },
  ...{ 'DeskOpened.lane': 'plain', 'DeskTrade.lane': 'plain', 'DeskTwin.lane': 'plain', 'DeskShadow.signal': 'plain' },
}

/** The numbers of posts. With the name of the chat, they lead to the post and its poster. */
const postNumbers: ReadonlySet<string> = new Set([
  ...['Mentioned.post', 'CardRead.post', 'CardRead.replyTo', 'CallScored.post'],
])

export function publicRecords({ schemas }: Topic, keys: Keys): (record: FiledRecord) => FiledRecord {
  return (record) => ({ ...record, data: publicData(schemas?.[record.type] as AvroRecord, record.data, keys) })
}

type Data = Readonly<Record<string, unknown>>

function publicData({ name: record, fields }: AvroRecord, data: object, keys: Keys): Data {
  const shown = Object.entries(data as Data).map(([field, value]) => {
    const schema = fields.find(({ name }) => name === field)?.type
    return [field, publicValue(schema, value, { name: `${record}.${field}`, data: data as Data, keys })]
  })
  return Object.fromEntries(shown)
}

/** `name`: the record and the field of the value. `data`: the record with the field. */
type Place = Readonly<{ name: string; data: Data; keys: Keys }>

function publicValue(schema: unknown, value: unknown, place: Place): unknown {
  if (value === null || postNumbers.has(place.name)) return null
  if (Array.isArray(schema)) return publicValue(schema[1], value, place)
  if (schema === 'string') return publicText(value as string, place)
  const { type, items } = schema as Readonly<{ type?: string; items?: unknown }>
  if (type === 'array') return (value as readonly unknown[]).map((item) => publicValue(items, item, place))
  return type === 'record' ? publicData(schema as AvroRecord, value as object, place.keys) : value
}

function publicText(text: string, { name, data, keys }: Place): string | null {
  const { callerIds, ruleIds, ruleScope } = keys
  switch (treatments[name]) {
    case 'plain':
      return text
    case 'chat':
      return chatIdOf(text, callerIds)
    case 'chatName':
      return chatNameOf(text)
    case 'poster':
      return callerIdOf(String(data.chat), text, callerIds)
    case 'rule':
      return ruleIdOf(text, ruleIds, ruleScope)
    case 'row':
      return text === '' ? text : createHmac('sha1', callerIds).update(`row:${text}`).digest('hex')
    default:
      return null
  }
}
