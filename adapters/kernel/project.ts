import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folderOfPackage = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from
  const above = dirname(from)
  if (above === from) throw new Error('svc runs from a folder that does not belong to a package.json')
  return folderOfPackage(above)
}

/** Returns the folder with this program's package.json, whether it runs from source or from `.build/`. */
export const projectDir = (): string => folderOfPackage(dirname(fileURLToPath(import.meta.url)))

export const programVersion = (): string => {
  const { version } = JSON.parse(readFileSync(join(projectDir(), 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
