/**
 * What stands for the name and address of a person whose personal data was sealed under a secret key that was lost. The
 * person is as active as before, and an administrator can give them a name and an address again.
 */
export const UNREADABLE_NAME = 'Unreadable user'

/** No mail server can have it: RFC 2606 §2 keeps `.invalid` free. */
export const unreadableAddress = (userId: string): string =>
  `unreadable+${userId.slice('usr_'.length).toLowerCase()}@invalid`

/** Whether an address stands for one that cannot be read. */
export const isUnreadableAddress = (email: string): boolean =>
  /^unreadable\+[0-9a-z]{26}@invalid$/.test(email)
