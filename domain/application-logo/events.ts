import type { Logo } from '../logo.ts'

/**
 * The logo of an application has a stream of its own: a stream of the application that contains images would slow down
 * every other command.
 */
export type ApplicationLogoEvent =
  | { type: 'application_logo.updated'; data: Logo & { applicationId: string } }
  | { type: 'application_logo.deleted'; data: { applicationId: string; digest: string } }
