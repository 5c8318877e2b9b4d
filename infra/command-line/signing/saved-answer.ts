/** Reads an answer that was saved with its headers, as `curl -i` prints it. */
import { OperationError } from '../../errors.ts'

export type SavedAnswer = Readonly<{
  status: number
  fields: readonly Readonly<{ name: string; value: string }>[]
  body: Buffer
}>

/** No answer of the service is nearly as large. */
export const savedBytesMax = 64 * 1024 * 1024
const headBytesMax = 65_536
/** A client or a proxy may have saved other responses before the answer, such as `100 Continue`. */
const headsMax = 10

/** Fails with `nothing_found` if the bytes are no saved answer. */
export function readSavedAnswer(bytes: Buffer, name: string): SavedAnswer {
  let rest = bytes
  for (let count = 0; count < headsMax; count++) {
    const { head, body } = split(rest, name)
    const answer = { ...parseHead(head, name), body }
    // The body of an answer is JSON, so it never begins like this.
    if (answer.status >= 200 && !body.subarray(0, 5).equals(Buffer.from('HTTP/'))) return answer
    rest = body
  }
  throw unusable(name, `has more than ${headsMax} heads of responses`)
}

function split(bytes: Buffer, name: string): Readonly<{ head: string; body: Buffer }> {
  const start = bytes.subarray(0, headBytesMax).toString('latin1')
  const end = /\r?\n\r?\n/.exec(start)
  if (end === null) throw unusable(name, `has no empty line after the headers in its first ${headBytesMax} bytes`)
  return { head: start.slice(0, end.index), body: bytes.subarray(end.index + end[0].length) }
}

function parseHead(head: string, name: string): Omit<SavedAnswer, 'body'> {
  const [statusLine = '', ...lines] = head.split(/\r?\n/)
  const [, status] = /^HTTP\/[\d.]+ (\d{3})(?: |$)/.exec(statusLine) ?? []
  if (status === undefined) throw unusable(name, 'does not begin with a status line such as "HTTP/1.1 200 OK"')
  const fields = lines.map((line) => {
    const [, field, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (field === undefined || value === undefined)
      throw unusable(name, 'has a line among the headers that is no header')
    return { name: field.toLowerCase(), value }
  })
  return { status: Number(status), fields }
}

const unusable = (name: string, fault: string): OperationError =>
  new OperationError('nothing_found', `${name} is no saved answer: it ${fault}. Save the answer with "curl -i"`)
