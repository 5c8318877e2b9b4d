/** Reads the compose file. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export type ComposeService = Readonly<{
  image?: string
  /** The folder with the Dockerfile, relative to the compose file. */
  build?: string
  ports?: readonly string[]
  environment?: Readonly<Record<string, string>>
  depends_on?: Readonly<Record<string, Readonly<{ condition: string }>>>
  healthcheck?: Readonly<{ test: readonly string[]; interval: string; timeout: string; retries: number }>
  volumes?: readonly string[]
  stop_grace_period?: string
}>

type Compose = Readonly<{
  services: Readonly<Record<string, ComposeService>>
  volumes: Readonly<Record<string, unknown>>
}>

export const compose = parse(readFileSync('infra/compose.yaml', 'utf8')) as Compose

/** Returns the health check of the registry as a command, for a registry on another port. */
export const registryCheck = (port: number): readonly string[] =>
  (compose.services.registry?.healthcheck?.test ?? [])
    .slice(1)
    .map((word) => word.replace('/8080', `/${port}`).replaceAll('$$', '$'))
