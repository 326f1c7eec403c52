// 新建频道与加入频道的词句。
import type { channelForm as ChannelForm } from "../en/channels";

export const channelForm: typeof ChannelForm = {
  channelName: "名称",
  channelNameHint: "一个你能认出的短名称，例如“咖啡之家”",
  channelKind: "类型",
  kindGroup: "群组",
  kindDm: "单聊",
  kindMeaning: (kind) => (kind === "dm" ? "你和另一位" : "成员数量不限"),
  channelTier: "面向谁",
  channelBrief: "用途",
  channelBriefHint: "频道里的每个人都会被告知。可以留空。",
  newAgent: "新成员",
  agentThinks: "使用",
  agentBy: { llm_generic: "Prime 现有的引擎", claude_code: "本机的 Claude Code", echo: "无：只重复别人的话，用于试验" },
  addAgent: "添加",
  channelMembers: "成员",
  create: "创建频道",
  creating: "正在创建",
  nameMissing: "请填写名称。",
};
