/**
 * Handles requests whose path is the pattern of a route. Catalogues list a route by its pattern, such as
 * `/v1/rh/pools/:id/flow`, and their checks request it literally.
 */
import type { Route } from '../route.ts'
import type { PathValues } from '../sale/example-subjects.ts'
import { type Refusal, refuse } from '../sale/refusals.ts'

/** Returns the name of a parameter for which the path has a placeholder (`:id` or `{id}`), or null. */
export const placeholderIn = ({ subject }: Pick<Route, 'subject'>, path: PathValues): string | null => {
  if (!subject) return null
  const { param } = subject
  return path[param] === `:${param}` || path[param] === `{${param}}` ? param : null
}

/** Refuses a payment for a path with a placeholder, because the price is that of one subject. */
export const refusePlaceholder = (param: string): Refusal =>
  refuse(
    'bad_address',
    `${param} is a placeholder in this URL. Nothing was charged. Pay for the URL in \`resource.url\` of the 402, or for another ${param}`,
  )
