/** Compares the status, headers and body of every answer with the OpenAPI document of the service. */
import { AssertionError } from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../../api/documents/json-schema.ts'
import type { OpenApi, Operation } from '../../api/documents/openapi.ts'
import { mcpPath } from '../../api/mcp/tool.ts'

/** Fails if the document does not list such an answer for the path. */
export type AnswerCheck = (path: string, method: string, answer: Response) => Promise<void>

/**
 * Requests the document from another client address, so that this request does not count in a test's rate
 * limit.
 */
export async function publishedBy(baseUrl: string): Promise<OpenApi> {
  const answer = await fetch(`${baseUrl}/v1/openapi.json`, { headers: { 'X-Forwarded-For': '203.0.113.77' } })
  return (await answer.json()) as OpenApi
}

const documentId = 'published:openapi'

/** The codes of answers to a path or method that does not exist. */
const unrouted: Readonly<Record<number, string>> = { 404: 'no_such_route', 405: 'method_not_allowed' }

export function createAnswerCheck(document: OpenApi): AnswerCheck {
  const compile = createCompiler(document)
  const operations = operationsOf(document)

  return async (path, method, answer) => {
    // The document does not describe MCP.
    if (method === 'OPTIONS' || path.split('?')[0] === mcpPath) return
    const where = `${method} ${path}: ${answer.status}`
    const body = await jsonOf(answer, method)
    const operation = operationAt(operations, method, path)
    if (operation === undefined) return checkUnrouted(where, answer, body)
    const response = responseOf(document, operation, answer.status)
    if (response === null) return fail(where, 'is not listed', body)
    for (const name of missingHeaders(document, response.value, answer)) fail(where, `has no header ${name}`, body)
    if (body === undefined) return
    const validate = compile(`${response.pointer}/content/application~1json/schema`)
    if (!validate(body)) fail(where, JSON.stringify(validate.errors, null, 1), body)
  }
}

async function jsonOf(answer: Response, method: string): Promise<unknown> {
  const isJson = method !== 'HEAD' && answer.headers.get('content-type')?.startsWith('application/json')
  return isJson ? answer.clone().json() : undefined
}

function operationAt(operations: readonly Found[], method: string, path: string): Found | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const [pathname = ''] = path.split('?')
  return operations.find(({ pattern }) => pattern.test(pathname))
}

/**
 * Checks an answer to a path or method that the document does not list. The answer must have the error code
 * for its status, or no JSON body.
 */
function checkUnrouted(where: string, { status }: Response, body: unknown): void {
  const { code } = (body ?? {}) as { code?: string }
  if (body !== undefined && unrouted[status] !== code) fail(where, 'is an answer of no operation', body)
}

const fail = (where: string, what: string, body: unknown): never => {
  throw new AssertionError({ message: `${where} ${what}\n${JSON.stringify(body)?.slice(0, 2000)}` })
}

export function createCompiler(document: OpenApi): (pointer: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...document, $id: documentId })
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${documentId}#${encodeURI(pointer)}` })
    compiled.set(pointer, known)
    return known
  }
}

type Found = Readonly<{ pattern: RegExp; path: string; operation: Operation }>

/**
 * Returns the operations with their URL patterns. Paths without parameters come first, because a pattern with
 * a parameter can also match them.
 */
function operationsOf(document: OpenApi): readonly Found[] {
  const operations = Object.entries(document.paths).flatMap(([path, { get }]) =>
    [path, ...((get['x-aliases'] ?? []) as readonly string[])].map((served) => ({
      ...{ path, operation: get },
      pattern: new RegExp(`^${served.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
    })),
  )
  return operations.sort((left, right) => Number(left.path.includes('{')) - Number(right.path.includes('{')))
}

/** Escapes an object's key for a JSON pointer. */
const key = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function responseOf(document: OpenApi, { path, operation }: Found, status: number) {
  const response = operation.responses[status] as JsonSchema | undefined
  if (response === undefined) return null
  if (typeof response.$ref !== 'string')
    return { value: response, pointer: `/paths/${key(path)}/get/responses/${status}` }
  return { value: resolve(document, response.$ref), pointer: response.$ref.slice(1) }
}

/** Returns the part of the document that a `#/components/…` reference names. */
const resolve = (document: OpenApi, ref: string): JsonSchema =>
  ref
    .slice(2)
    .split('/')
    .reduce<JsonSchema>((part, name) => part[name] as JsonSchema, document as unknown as JsonSchema)

function missingHeaders(document: OpenApi, response: JsonSchema, answer: Response): readonly string[] {
  const headers = Object.entries((response.headers ?? {}) as Record<string, Readonly<{ $ref: string }>>)
  const required = headers.filter(([, { $ref }]) => resolve(document, $ref).required)
  return required.map(([name]) => name).filter((name) => !answer.headers.has(name))
}
