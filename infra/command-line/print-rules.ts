/** Prints the rules (the numbers that decide which signals exist) as text, or the JSON schema of the rules. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { defaultRules, rulesSchema } from '../../schemas/rules.ts'
import { OperationError } from '../errors.ts'
import { parseRules } from '../parse-rules.ts'
import { rulesVersionsOf } from '../rules-version.ts'

type Options = Readonly<{ schema?: boolean; file?: string }>

/** Returns the rules as JSON, or their JSON schema. The rules can be edited and used as a rules file. */
export async function describeRules({ schema = false, file }: Options): Promise<string> {
  if (schema) return JSON.stringify(z.toJSONSchema(rulesSchema, { io: 'input' }), null, 2)
  const rules = file === undefined ? defaultRules : parseRules(await readText(file), file)
  return JSON.stringify({ versions: rulesVersionsOf(rules), ...rules }, null, 2)
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new OperationError('config_invalid', `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
