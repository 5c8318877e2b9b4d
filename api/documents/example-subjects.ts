import type { Route } from '../route.ts'
import type { ExampleSubjects, PathValues } from '../sale/example-subjects.ts'
import type { JsonSchema } from './json-schema.ts'
import type { OpenApi, Operation } from './openapi.ts'
import { pathOf } from './operations.ts'

/**
 * Returns the document with an example for each parameter in a path: a subject that the service tracks now. A
 * parameter has no example while the service tracks nothing.
 */
export async function withExampleSubjects(
  document: OpenApi,
  routes: readonly Route[],
  { find }: Pick<ExampleSubjects, 'find'>,
): Promise<OpenApi> {
  const paths: Record<string, Readonly<{ get: Operation }>> = { ...document.paths }
  for (const route of routes.filter(({ subject }) => subject)) {
    const values = (await find(route)) ?? {}
    const { get } = paths[pathOf(route)] as { get: Operation }
    const parameters = (get.parameters as readonly JsonSchema[]).map((parameter) => withExample(parameter, values))
    paths[pathOf(route)] = { get: { ...get, parameters } }
  }
  return { ...document, paths }
}

function withExample(parameter: JsonSchema, values: PathValues): JsonSchema {
  const example = parameter.in === 'path' ? values[String(parameter.name)] : undefined
  return example === undefined ? parameter : { ...parameter, example }
}
