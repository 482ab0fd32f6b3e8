/** Milestones: days on which a member gave a rupee. Only settled rounds count, so nothing that was reached is ever lost. */
export const MILESTONES = [10, 50, 100, 365] as const
export type Milestone = (typeof MILESTONES)[number]

/** The name of a milestone's picture: `days-100`. */
export const pictureOfMilestone = (days: number): string => `days-${days}`

export const milestoneOfPicture = (name: string): Milestone | undefined => MILESTONES.find((days) => pictureOfMilestone(days) === name)
