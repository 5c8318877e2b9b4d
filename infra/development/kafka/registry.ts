/** Starts a schema registry with Confluent's protocol: Apicurio, which keeps its schemas in memory. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type JavaOptions, type JavaProcess, shortLived, startJava } from './java-process.ts'

export type RegistryOptions = Readonly<{
  jarsDir: string
  dir: string
  port: number
  outlivesUs: boolean
  signal?: AbortSignal | undefined
}>

export const registryUrlAt = (port: number): string => `http://127.0.0.1:${port}/apis/ccompat/v7`

/** Resolves when the registry accepts requests. Fails with `program_failed` and the last lines of its output. */
export async function startRegistry(options: RegistryOptions): Promise<JavaProcess> {
  const { jarsDir, dir, port } = options
  await mkdir(dir, { recursive: true })
  const jar = (await readdir(jarsDir)).find((file) => file.endsWith('-runner.jar')) ?? 'runner.jar'
  const java: JavaOptions = {
    ...options,
    name: 'the schema registry',
    args: [
      ...[...shortLived, '-Xmx512m', '-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`],
      ...['-jar', join(jarsDir, jar)],
    ],
    logPath: join(dir, 'registry.log'),
  }
  const url = `${registryUrlAt(port)}/subjects`
  return startJava(java, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
}
