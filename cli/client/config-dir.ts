import { isAbsolute, join } from 'node:path'

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homeDir: string
}

/** Returns the folder for this program's files of the user. */
export const configDir = ({ env, platform, homeDir }: Machine): string => {
  const nonEmpty = (name: string): string | undefined => {
    const value = env[name]
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  switch (platform) {
    case 'win32':
      return join(nonEmpty('APPDATA') ?? join(homeDir, 'AppData', 'Roaming'), 'svc')
    case 'darwin':
      return join(homeDir, 'Library', 'Application Support', 'svc')
    default:
      return join(nonEmpty('XDG_CONFIG_HOME') ?? join(homeDir, '.config'), 'svc')
  }
}
