/**
 * @module
 * The strategies: ways to get the data of a candidate, and what they are made of.
 */

export { strategyPlanner } from './plan.ts';
export { planBySize, type SizeContext, type SizePlan, type SizePolicy } from './size-policy.ts';
