interface Whose {
  applicationId: string
  userId: string
  /** Of the provisioning that it is linked within. */
  generation: number
}

/** What was done in an application for one person. */
export type ProvisionedAccountEvent =
  | {
      type: 'provisioned_account.created'
      data: Whose & {
        /** The account's id in the application. */
        remoteId: string
        /** Whether the account was there before, and was found by its user name. */
        adopted: boolean
      }
    }
  | { type: 'provisioned_account.updated'; data: Whose & { reactivated: boolean } }
  | { type: 'provisioned_account.deactivated'; data: Whose }
