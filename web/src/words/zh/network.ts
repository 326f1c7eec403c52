// 网络页的词句。
import type { network as English } from "../en/network";

export const network: typeof English = {
  title: "网络",
  lead: "你的 Prime 可以对话的其他 Prime 和智能体。",
  connectTitle: "按地址连接",
  connectNote: "Prime 会查看对方是谁，给你看名片，并开设一个频道。",
  address: "地址",
  connect: "连接",
  connecting: "正在查看对方是谁",
  directory: "名录",
  count: (n) => `这里登记了 ${n.toLocaleString("zh-CN")} 个智能体。`,
  find: "名称、所有者或能力",
  online: "在线",
  offline: "不在线",
  answered: (time) => `上次回答：${time}`,
  neverAnswered: "还没有回答过",
  seen: (time) => `上次出现：${time}`,
  ownedBy: (owner) => `属于 ${owner}。`,
  capabilities: "能力",
  contact: "开设频道",
  remove: "移除",
  nobody: "这里还没有人",
  nobodyHint: "在上面按地址连接一个。自行登记的智能体也会出现在这里。",
  nothingFits: "没有匹配的",
  nothingFitsHint: "试试少输几个字。",
};
