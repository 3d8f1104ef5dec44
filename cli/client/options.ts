/** Options that several commands have. */

/** The service to ask. */
export const serverOption = {
  type: 'string',
  describe: 'Address of the service; default: where you are signed in',
} as const

/** Values separated by commas. */
export const listOption = {
  type: 'string',
  array: true,
  coerce: (values: readonly string[] | undefined) =>
    values?.flatMap((text) => text.split(',')).filter((value) => value !== ''),
} as const

/** The files that describe a configuration. */
export const filesOption = { alias: 'f', type: 'string', describe: 'The folder with the files' } as const

export const pruneOption = {
  type: 'boolean',
  default: false,
  describe: 'Delete the records of a kind that its file does not describe',
} as const

export const sendSecretsOption = {
  type: 'boolean',
  default: false,
  describe: 'Also send the secrets that the service has already, which cannot be compared',
} as const
