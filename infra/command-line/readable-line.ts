import { z } from 'zod'

const logLine = z.looseObject({
  level: z.number(),
  time: z.string(),
  program: z.string().optional(),
  msg: z.string().optional(),
  err: z.looseObject({ message: z.string() }).optional(),
})

const levelNames: Readonly<Record<number, string>> = { 40: 'warning', 50: 'ERROR', 60: 'FATAL' }
const common = new Set(['level', 'time', 'program', 'msg', 'err', 'pid', 'hostname'])

/**
 * Turns a JSON log line into text for people: time of day, program, text, cause and the other fields. Returns any other
 * line unchanged.
 */
export function readableLine(line: string): string {
  const parsed = logLine.safeParse(parseJson(line))
  if (!parsed.success) return line.trimEnd()
  const { level, time, program = '', msg = '', err, ...rest } = parsed.data
  const facts = Object.entries(rest).flatMap(([name, value]) =>
    common.has(name) ? [] : [`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  const name = levelNames[level]
  const text = [msg, ...(err === undefined ? [] : [err.message])].filter((part) => part !== '').join(': ')
  const head = [time.slice(11, 19), program, ...(name === undefined ? [] : [name])].filter((part) => part !== '')
  return `${head.join(' ')}: ${text}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
